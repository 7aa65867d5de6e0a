/** Compares two response bodies. */
import { type DiffLine, diffLines } from '../../../../base/shared/diff-lines.ts';

/**
 * Compares two bodies line by line. JSON is indented first, so that only values that differ are shown.
 * @example compareBodies('{"a":1}', '{"a": 2}').map(({ kind }) => kind); // ['same', 'removed', 'added', 'same']
 */
export const compareBodies = (earlier: string, now: string): DiffLine[] =>
  diffLines(indented(earlier), indented(now));

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text.trim();
  }
}
