/**
 * Formats results like pg_prove (Perl's TAP::Harness), with one line per file and a summary of the failures.
 *
 * Parses the output of a test file, which is in the Test Anything Protocol (version 12), following the rules of Perl's
 * TAP::Parser.
 */

export interface FileOutcome {
  /** The path to the file, such as `supabase/tests/todos.test.sql`. */
  readonly shownPath: string;
  /** The rows that the file's statements returned. */
  readonly output: readonly string[];
  /** The error that ended the file, including its position: `supabase/tests/a.sql:3: ERROR:  …`. */
  readonly error: string | undefined;
}

/** The exit status of psql after an error in a script. */
const errorStatus = 3;
const exitOf = ({ error }: FileOutcome): number => (error === undefined ? 0 : errorStatus);

export function isPassed(outcome: FileOutcome): boolean {
  const { failed, parseErrors } = parseTap(outcome.output);
  return exitOf(outcome) === 0 && failed.length === 0 && parseErrors.length === 0;
}

/**
 * Returns the lines for a file. The name is padded with dots to the length of the longest name. The comments of failed
 * tests are included because these comments explain the failures. With `withTap`, the complete output of the file is
 * included.
 */
export function fileLines(outcome: FileOutcome, longest: number, withTap: boolean): string[] {
  const { shownPath, output, error } = outcome;
  const name = `${shownPath} ${'.'.repeat(longest + 2 - shownPath.length)}`;
  const tap = parseTap(output);
  if (isPassed(outcome)) {
    const verdict = tap.skipAll === undefined ? 'ok' : `skipped: ${tap.skipAll || '(no reason given)'}`;
    return withTap ? [`${name} `, ...output, verdict] : [`${name} ${verdict}`];
  }
  return [
    `${name} `,
    ...(withTap ? output : tap.diagnostics),
    ...(error === undefined ? [] : [...error.split('\n'), `Dubious, test returned ${dubious}`]),
    ...countLines(tap),
  ];
}

const dubious = `${errorStatus} (wstat ${errorStatus * 256}, 0x${(errorStatus * 256).toString(16)})`;

function countLines({ planned, ran, failed, skipped, todoPassed }: TapResult): string[] {
  const total = planned ?? ran;
  const missed = failed.length + Math.max(0, total - ran);
  const passed = total === 0 ? 'No subtests run ' : `All ${total} subtests passed `;
  const okay = ran - failed.length - skipped;
  return [
    missed > 0 ? `Failed ${missed}/${total} subtests ` : passed,
    ...(skipped > 0 ? [`\t(less ${skipped} skipped ${plural(skipped, 'subtest')}: ${okay} okay)`] : []),
    ...(todoPassed.length > 0
      ? [`\t(${todoPassed.length} TODO ${plural(todoPassed.length, 'test')} unexpectedly succeeded)`]
      : []),
  ];
}

export function summaryLines(outcomes: readonly FileOutcome[], seconds: number): string[] {
  const results = outcomes.map((outcome) => ({ outcome, tap: parseTap(outcome.output) }));
  const tests = results.reduce((sum, { tap }) => sum + tap.ran, 0);
  const passed = outcomes.every(isPassed);
  const noted = results.filter(({ outcome, tap }) => !isPassed(outcome) || tap.todoPassed.length > 0);
  const longest = Math.max(...outcomes.map(({ shownPath }) => shownPath.length));
  const elapsed = String(Math.round(seconds)).padStart(2);
  return [
    ...(passed && tests > 0 ? ['All tests successful.'] : []),
    ...(noted.length === 0 ? [] : ['', 'Test Summary Report', '-------------------']),
    ...noted.flatMap(({ outcome, tap }) => {
      const exit = exitOf(outcome);
      const wait = exit === 0 ? '0' : `${exit * 256} (exited ${exit})`;
      return [
        `${outcome.shownPath.padEnd(Math.max(longest, outcome.shownPath.length + 1))}(Wstat: ${wait} Tests: ${tap.ran} Failed: ${tap.failed.length})`,
        ...ranges(`${plural(tap.failed.length, 'Failed test')}:`, tap.failed),
        ...ranges('TODO passed: ', tap.todoPassed),
        ...(exit === 0 ? [] : [`  Non-zero exit status: ${exit}`]),
        ...tap.parseErrors.map(
          (text, index) => `  ${index === 0 ? 'Parse errors:' : '             '} ${text}`,
        ),
      ];
    }),
    `Files=${outcomes.length}, Tests=${tests}, ${elapsed} wallclock secs`,
    `Result: ${passed ? (tests === 0 ? 'NOTESTS' : 'PASS') : 'FAIL'}`,
  ];
}

/** Returns a line such as `  Failed tests:  1-3, 5`. */
function ranges(label: string, numbers: readonly number[]): string[] {
  if (numbers.length === 0) return [];
  const parts: [number, number][] = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else parts.push([number, number]);
  }
  const text = parts.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
  return [`  ${label}  ${text}`];
}

const plural = (count: number, word: string): string => (count === 1 ? word : `${word}s`);

interface TapResult {
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
