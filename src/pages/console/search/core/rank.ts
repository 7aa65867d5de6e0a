/**
 * Ranks matches: exact matches first, then matches at the beginning of the text, at the beginning of a word, and
 * anywhere else in the text.
 */
const ranks = { exact: 4, prefix: 3, word: 2, part: 1, none: 0 } as const;

export function rankOf(search: string, text: string): number {
  const [part, whole] = [search.toLowerCase(), text.toLowerCase()];
  if (whole === part) return ranks.exact;
  if (whole.startsWith(part)) return ranks.prefix;
  const at = whole.indexOf(part);
  if (at < 0) return ranks.none;
  for (let next = at; next >= 0; next = whole.indexOf(part, next + 1))
    if (!/[\p{L}\p{N}]/u.test(whole[next - 1] ?? '')) return ranks.word;
  return ranks.part;
}

/**
 * Returns the best matches in order, starting with the best. Matches with the same rank stay in their original order.
 */
export const bestOf = <Item>(items: readonly Item[], rank: (item: Item) => number, limit: number): Item[] =>
  items
    .map((item) => ({ item, rank: rank(item) }))
    .filter((each) => each.rank > 0)
    .sort((left, right) => right.rank - left.rank)
    .slice(0, limit)
    .map(({ item }) => item);
