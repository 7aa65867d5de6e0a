/** Collects the errors of an import, in groups of equal errors with their counts, and the rows that were skipped. */
import type { FaultGroup, ImportFault, SkippedRow } from '../contract.ts';

/** The maximum number of errors in a report, and the maximum number of examples per group. */
const maxListed = 100;
const maxExamples = 5;
/** The number of invalid rows after which an import is stopped. */
const maxFaults = 1000;
/** The maximum number and total size of the invalid rows that an import can skip. */
const maxSkipped = 10_000;
const maxSkippedChars = 10_000_000;

export interface FaultyRow {
  readonly values: Readonly<Record<string, unknown>>;
  /**
   * Returns the column that contains the text. If a value has the wrong type, PostgreSQL doesn't name the value's
   * column.
   */
  readonly columnOf: (text: string) => string | undefined;
}

export class FaultLog {
  readonly #skips: boolean;
  readonly #groups = new Map<string, FaultGroup & { examples: FaultGroup['examples'][number][] }>();
  readonly #listed: ImportFault[] = [];
  readonly #skipped: SkippedRow[] = [];
  #chars = 0;
  #hasLateFault = false;
  count = 0;

  constructor(skips: boolean) {
    this.#skips = skips;
  }

  /** Adds an error. `row` is undefined if the error doesn't refer to a row. */
  add(fault: ImportFault, row?: FaultyRow): void {
    this.count++;
    const { message, value } = splitMessage(fault.message);
    const column = fault.column ?? (value === undefined ? undefined : row?.columnOf(value));
    const key = JSON.stringify([fault.sqlstate, column, message]);
    const group = this.#groups.get(key) ?? {
      message,
      ...(column === undefined ? {} : { column }),
      ...(fault.sqlstate === undefined ? {} : { sqlstate: fault.sqlstate }),
      count: 0,
      examples: [],
    };
    // The detail of a NOT NULL violation is omitted because it contains the whole row.
    const detail = value ?? (fault.sqlstate === '23502' ? undefined : fault.detail);
    if (group.examples.length < maxExamples)
      group.examples.push({ line: fault.line, ...(detail === undefined ? {} : { detail }) });
    this.#groups.set(key, { ...group, count: group.count + 1 });
    if (this.#listed.length < maxListed) this.#listed.push(fault);
    if (row === undefined) this.#hasLateFault = true;
    else if (this.#skips) {
      const reason = fault.detail === undefined ? fault.message : `${fault.message} ${fault.detail}`;
      this.#skipped.push({ line: fault.line, reason, values: row.values });
      this.#chars += JSON.stringify(row.values).length;
    }
  }

  /** Whether the import must be stopped. */
  get isFull(): boolean {
    return this.#skips ? this.count > maxSkipped || this.#chars > maxSkippedChars : this.count >= maxFaults;
  }

  /** Whether the valid rows may be written. */
  mayWrite(rows: number): boolean {
    if (this.count === 0) return true;
    return this.#skips && !this.isFull && !this.#hasLateFault && this.count < rows;
  }

  report(): {
    invalid: number;
    faults: ImportFault[];
    groups: FaultGroup[];
    skipped: SkippedRow[];
    stopped: boolean;
  } {
    const place = ({ line }: { line: number | null }): number => line ?? Number.POSITIVE_INFINITY;
    const byLine = (left: { line: number | null }, right: { line: number | null }): number =>
      place(left) - place(right);
    return {
      invalid: this.count,
      faults: [...this.#listed].sort(byLine),
      groups: [...this.#groups.values()].sort((left, right) => right.count - left.count).slice(0, maxListed),
      skipped: this.isFull ? [] : [...this.#skipped].sort(byLine),
      stopped: this.isFull,
    };
  }
}

/**
 * Splits a message such as `invalid input syntax for type date: "x"` into the constant text and the value from the row.
 */
function splitMessage(text: string): { message: string; value: string | undefined } {
  const match = /^(.*?): "(.*)"$/s.exec(text) ?? /^(value) "(.*)" (is out of range .*)$/s.exec(text);
  if (match === null) return { message: text, value: undefined };
  const [, before = '', value = '', after] = match;
  return { message: after === undefined ? before : `${before} ${after}`, value };
}
