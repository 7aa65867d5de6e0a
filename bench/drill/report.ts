/** The results of the drill. Each check is one line of output. */
import { loadavg } from 'node:os';

export interface Check {
  readonly name: string;
  /** What was measured, with its unit. */
  readonly figure: string;
  /** What was required, for the reader. */
  readonly limit: string;
  readonly isMet: boolean;
}

/** A part of the drill, which starts its own servers. */
export interface Line {
  /** The name for `--only`. */
  readonly name: string;
  readonly title: string;
  run(check: (check: Check) => void): Promise<void>;
}

/** Runs the lines, prints a line per check, and returns the number of checks that were missed. */
export async function runLines(lines: readonly Line[]): Promise<number> {
  let missed = 0;
  const print = (line: Line, { name, figure, limit, isMet }: Check): void => {
    if (!isMet) missed++;
    console.log(`${isMet ? 'met   ' : 'MISSED'}  ${line.name}: ${name}: ${figure} (required: ${limit})`);
  };
  for (const line of lines) {
    const startedAt = performance.now();
    console.log(`\n${line.title}`);
    try {
      await line.run((check) => print(line, check));
    } catch (error) {
      const figure = error instanceof Error ? (error.stack ?? error.message) : String(error);
      print(line, { name: 'ends without an error', figure, limit: 'no error', isMet: false });
    }
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    console.log(`        ${line.name} took ${seconds} s, load average ${loadavg()[0]?.toFixed(1)}`);
  }
  return missed;
}

/** A check of a number that must not exceed `most`. */
export const atMost = (name: string, value: number, most: number, unit: string): Check => ({
  name,
  figure: `${Number.isInteger(value) ? value : value.toFixed(2)} ${unit}`,
  limit: `at most ${most} ${unit}`,
  isMet: value <= most,
});
