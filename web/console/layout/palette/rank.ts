/**
 * Ranks results. Exact matches have the highest rank, followed by prefixes, words, other parts, and letters in the same
 * order.
 */
export const ranks = { exact: 5, prefix: 4, word: 3, part: 2, fuzzy: 1, none: 0 } as const;

const minFuzzyChars = 3;

/** Returns the rank of a match, or 0 if the text doesn't match. @example rankOf('tas', 'my tasks') // ranks.word */
export function rankOf(search: string, text: string): number {
  const [part, whole] = [search.trim().toLowerCase(), text.toLowerCase()];
  if (part === '') return ranks.none;
  if (whole === part) return ranks.exact;
  if (whole.startsWith(part)) return ranks.prefix;
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1))
    if (!/[\p{L}\p{N}]/u.test(whole[at - 1] ?? '')) return ranks.word;
  if (whole.includes(part)) return ranks.part;
  const words = part.split(/\s+/);
  if (words.length > 1 && words.every((word) => whole.includes(word))) return ranks.part;
  return part.length >= minFuzzyChars && hasLettersInOrder(part, whole) ? ranks.fuzzy : ranks.none;
}

/** Whether the letters occur in order, with the first letter at the start of a word. */
function hasLettersInOrder(letters: string, text: string): boolean {
  const compact = letters.replaceAll(/\s/g, '');
  for (const { index } of text.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)) {
    let at = index - 1;
    let count = 0;
    for (const letter of compact) {
      at = text.indexOf(letter, at + 1);
      if (at < 0 || (count === 0 && at !== index)) break;
      count++;
    }
    // Letters that are far apart match only by chance.
    if (count === compact.length && at - index < compact.length * 3) return true;
  }
  return false;
}
