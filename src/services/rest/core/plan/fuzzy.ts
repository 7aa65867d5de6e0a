/**
 * Finds similar names for hints. The algorithm is the fuzzy set of PostgREST's library, so that the hints are
 * identical. Candidates share trigrams (or bigrams) with the text, and the best 50 are ranked by their edit distance.
 */

/**
 * The default similarity threshold. The threshold for hints about tables and functions is 0.75, so only close matches
 * are suggested.
 */
const MIN_SCORE = 0.33;
const CANDIDATES = 50;

export function nearest(names: Iterable<string>, text: string, minScore = MIN_SCORE): string | undefined {
  return matches(names, text, minScore)[0]?.name;
}

export function matches(
  names: Iterable<string>,
  text: string,
  minScore = MIN_SCORE,
): { name: string; score: number }[] {
  const expected = text.toLowerCase();
  const all = [...new Set(names)];
  const exact = all.find((name) => name.toLowerCase() === expected);
  if (exact !== undefined) return [{ name: exact, score: 1 }];
  for (const size of [3, 2]) {
    const grams = gramCounts(expected, size);
    const length = norm(grams);
    const scored = all
      .map((name) => {
        const other = gramCounts(name.toLowerCase(), size);
        let product = 0;
        for (const [gram, count] of grams) product += count * (other.get(gram) ?? 0);
        return { name, score: product === 0 ? 0 : product / (length * norm(other)) };
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, CANDIDATES)
      .map(({ name }) => ({ name, score: similarity(name.toLowerCase(), expected) }))
      .filter(({ score }) => score >= minScore)
      .sort((a, b) => b.score - a.score);
    if (scored.length > 0) return scored;
  }
  return [];
}

function gramCounts(text: string, size: number): Map<string, number> {
  const padded = `-${text.replace(/[^\p{L}\p{N}_, ]+/gu, '')}-`.padEnd(size, '-');
  const counts = new Map<string, number>();
  for (let at = 0; at + size <= padded.length; at++) {
    const gram = padded.slice(at, at + size);
    counts.set(gram, (counts.get(gram) ?? 0) + 1);
  }
  return counts;
}

const norm = (counts: ReadonlyMap<string, number>): number =>
  Math.sqrt([...counts.values()].reduce((sum, count) => sum + count * count, 0));

function similarity(a: string, b: string): number {
  const longest = Math.max(a.length, b.length);
  return longest === 0 ? 1 : 1 - distance(a, b) / longest;
}

/** Returns the Levenshtein distance of two strings. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const change = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(change, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
