/**
 * Determines the part of the editor's text to run. That part is the selection, or the complete text if the selection is
 * blank.
 */
import type { Script } from './use-run.ts';

/** The start and end offset of the selection. */
export type Selection = readonly [from: number, to: number];

/** Returns the selected text, or undefined if the selection is blank. */
export function selectedText(text: string, selection: Selection): string | undefined {
  const selected = text.slice(...selection);
  return selected.trim() === '' ? undefined : selected;
}

export function scriptOf(text: string, selection: Selection): Script {
  const selected = selectedText(text, selection);
  return selected === undefined
    ? { all: text, text, offset: 0 }
    : { all: text, text: selected, offset: selection[0] };
}
