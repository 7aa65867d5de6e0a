/**
 * Returns the most similar known name, or undefined if no name is similar enough.
 *
 * @example nearest('enable_sginup', ['enable_signup', 'site_url']); // 'enable_signup'
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/**
 * Returns the number of insertions, deletions, replacements and swaps of adjacent characters that convert one text to
 * the other (optimal string alignment).
 */
function editDistance(a: string, b: string): number {
  let twoAgo: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let distance = Math.min(
        (previous[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        distance = Math.min(distance, (twoAgo[j - 2] ?? 0) + 1);
      }
      row.push(distance);
    }
    twoAgo = previous;
    previous = row;
  }
  return previous.at(-1) ?? 0;
}
