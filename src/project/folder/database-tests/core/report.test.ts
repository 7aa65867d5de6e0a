/** The expected lines are the lines that Perl's prove prints for the same output, except for the CPU times. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FileOutcome, fileLines, isPassed, parseTap, summaryLines } from './report.ts';

const outcome = (output: string[], error?: string): FileOutcome => ({ shownPath: 't/a.sql', output, error });

describe('a test file', () => {
  test('that passes', () => {
    const passed = outcome(['1..2', 'ok 1 - a', 'ok 2 - b']);
    expect(fileLines(passed, 12, false)).toEqual(['t/a.sql ....... ok']);
    expect(summaryLines([passed], 0.2)).toEqual([
      'All tests successful.',
      'Files=1, Tests=2,  0 wallclock secs',
      'Result: PASS',
    ]);
  });

  test('that fails', () => {
    const failed = outcome([
      '1..5',
      'not ok 1 - a',
      '# Failed test 1: "a"',
      'not ok 2 - b # TODO later',
      'ok 3 - c # TODO later',
      'ok 4 # SKIP no',
      'not ok 5 - d',
      '# Looks like you failed 2 tests of 5',
    ]);
    expect(fileLines(failed, 7, false)).toEqual([
      't/a.sql .. ',
      '# Failed test 1: "a"',
      '# Looks like you failed 2 tests of 5',
      'Failed 2/5 subtests ',
      '\t(less 1 skipped subtest: 2 okay)',
      '\t(1 TODO test unexpectedly succeeded)',
    ]);
    expect(summaryLines([failed], 1.6)).toEqual([
      '',
      'Test Summary Report',
      '-------------------',
      't/a.sql (Wstat: 0 Tests: 5 Failed: 2)',
      '  Failed tests:  1, 5',
      '  TODO passed:   3',
      'Files=1, Tests=5,  2 wallclock secs',
      'Result: FAIL',
    ]);
  });

  test('ends before its plan', () => {
    const ended = outcome(['1..3', 'ok 1'], 't/a.sql:4: ERROR:  boom');
    expect(fileLines(ended, 7, false)).toEqual([
      't/a.sql .. ',
      't/a.sql:4: ERROR:  boom',
      'Dubious, test returned 3 (wstat 768, 0x300)',
      'Failed 2/3 subtests ',
    ]);
    expect(summaryLines([ended], 0)).toContain('t/a.sql (Wstat: 768 (exited 3) Tests: 1 Failed: 0)');
    expect(summaryLines([ended], 0)).toContain('  Non-zero exit status: 3');
    expect(summaryLines([ended], 0)).toContain('  Parse errors: Bad plan.  You planned 3 tests but ran 1.');
  });

  test('is skipped, and another prints nothing', () => {
    expect(fileLines(outcome(['1..0 # SKIP not here']), 7, false)).toEqual(['t/a.sql .. skipped: not here']);
    expect(isPassed(outcome([]))).toBe(false);
    expect(fileLines(outcome([]), 7, false)).toEqual(['t/a.sql .. ', 'No subtests run ']);
  });

  test('shows everything that it printed', () => {
    expect(fileLines(outcome(['1..1', 'ok 1 - a']), 7, true)).toEqual([
      't/a.sql .. ',
      '1..1',
      'ok 1 - a',
      'ok',
    ]);
  });
});

test('a plan at the end is accepted, and a second one is an error', () => {
  expect(parseTap(['ok 1', 'ok 2', '1..2']).parseErrors).toEqual([]);
  expect(parseTap(['1..1', 'ok 1', '1..1']).parseErrors).toEqual(['More than one plan found in TAP output']);
  expect(parseTap(['1..2', 'ok 1', 'ok 3']).parseErrors).toEqual([
    'Tests out of sequence.  Found (3) but expected (2)',
  ]);
});

test('parsing never fails', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (lines) => {
      expect(parseTap(lines).ran).toBeGreaterThanOrEqual(0);
    }),
  );
});
