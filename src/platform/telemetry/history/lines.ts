/** Finds the entries of a block that match a filter. */
import { entryOfFileLine, fits } from '../core/entries.ts';
import type { LogEntry, LogFilter } from '../types.ts';
import type { Block } from './segment.ts';
import { mayMatch } from './summary.ts';

/** The limits of a query, which ends when one of them is exceeded. */
export interface Budget {
  /** Whether the query must end. */
  isSpent(): boolean;
  /** Subtracts the text of a block. */
  spend(bytes: number): void;
}

export function createBudget({ bytes, ms }: { readonly bytes: number; readonly ms: number }): Budget {
  const deadline = performance.now() + ms;
  let left = bytes;
  return {
    isSpent: () => left <= 0 || performance.now() > deadline,
    spend(used) {
      left -= used;
    },
  };
}

export interface BlockReader {
  /** Whether the block can contain a match. */
  isWanted(block: Block): Promise<boolean>;
  /** Calls `onEntry` with each match and the number of its line. */
  read(block: Block, onEntry: (entry: LogEntry, line: number) => void): Promise<void>;
}

export function createBlockReader(
  filter: LogFilter,
  pace: () => Promise<void> | undefined,
  budget: Budget,
): BlockReader {
  const id = filter.requestId ?? filter.user;
  const needles = [filter.search, filter.path].flatMap((text) => needleOf(text, filter.masks) ?? []);
  return {
    isWanted: async (block) =>
      mayMatch(block, filter) && (id === undefined || (await block.mayContainId(id))),
    async read(block, onEntry) {
      const text = await block.text();
      budget.spend(block.textBytes);
      if (id !== undefined && !text.includes(id)) return;
      const lower = needles.length === 0 ? '' : text.toLowerCase();
      if (!needles.every((needle) => lower.includes(needle))) return;
      let number = 0;
      for (const line of text.split('\n')) {
        number++;
        if (line === '' || (id !== undefined && !line.includes(id))) continue;
        if (needles.length > 0) {
          const lowerLine = line.toLowerCase();
          if (!needles.every((needle) => lowerLine.includes(needle))) continue;
        }
        const entry = entryOfFileLine(line);
        if (entry !== undefined && fits(filter, entry)) onEntry(entry, number);
        const pause = pace();
        if (pause !== undefined) await pause;
      }
    },
  };
}

/**
 * Returns the text that each matching line contains, in lower case, or undefined if a matching line may not contain it,
 * because the text is escaped in the file, or because a mask of a secret can contain it.
 */
export function needleOf(text: string | undefined, masks: readonly string[] = []): string | undefined {
  if (text === undefined || !/^[ -~]+$/.test(text) || /["\\[\]]/.test(text)) return undefined;
  const needle = text.toLowerCase();
  return masks.some((mask) => mask.toLowerCase().includes(needle)) ? undefined : needle;
}
