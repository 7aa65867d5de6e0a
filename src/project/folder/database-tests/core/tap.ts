/**
 * Parses the output of a test file, which is in the Test Anything Protocol (version 12), following the rules of Perl's
 * TAP::Parser.
 */

export interface TapResult {
  readonly planned: number | undefined;
  /** The reason from `1..0 # SKIP reason`, if all tests were skipped. */
  readonly skipAll: string | undefined;
  readonly ran: number;
  /** The numbers of the tests that failed and aren't marked as TODO. */
  readonly failed: readonly number[];
  readonly skipped: number;
  /** The numbers of the tests that are marked as TODO but passed. */
  readonly todoPassed: readonly number[];
  readonly parseErrors: readonly string[];
  /** The comments in the output, which explain failed tests. */
  readonly diagnostics: readonly string[];
}

/**
 * Parses the output.
 * @example parseTap(['1..1', 'not ok 1 - x']).failed // [1]
 */
export function parseTap(lines: readonly string[]): TapResult {
  let planned: number | undefined;
  let skipAll: string | undefined;
  let ran = 0;
  let skipped = 0;
  const [failed, todoPassed, parseErrors, diagnostics]: [number[], number[], string[], string[]] = [
    [],
    [],
    [],
    [],
  ];
  for (const line of lines) {
    const plan = /^1\.\.(\d+)\s*(?:#\s*skip\S*\s*(.*))?$/i.exec(line);
    const test = /^(not )?ok\b(?:\s+(\d+))?(.*)$/.exec(line);
    if (plan !== null) {
      if (planned !== undefined) parseErrors.push('More than one plan found in TAP output');
      planned ??= Number(plan[1]);
      if (planned === 0) skipAll = plan[2] ?? '';
    } else if (test !== null) {
      ran++;
      const [, not, written, rest = ''] = test;
      const number = written === undefined ? ran : Number(written);
      if (number !== ran) parseErrors.push(`Tests out of sequence.  Found (${number}) but expected (${ran})`);
      const directive = /[^\\]#\s*(skip|todo)/i.exec(` ${rest}`)?.[1]?.toLowerCase();
      if (directive === 'skip') skipped++;
      if (directive === 'todo' && not === undefined) todoPassed.push(number);
      if (not !== undefined && directive === undefined) failed.push(number);
    } else if (line.startsWith('Bail out!')) {
      parseErrors.push(line);
    } else if (line.startsWith('#')) diagnostics.push(line);
  }
  if (planned === undefined) parseErrors.push('No plan found in TAP output');
  else if (planned !== ran) parseErrors.push(`Bad plan.  You planned ${planned} tests but ran ${ran}.`);
  return { planned, skipAll, ran, failed, skipped, todoPassed, parseErrors, diagnostics };
}
