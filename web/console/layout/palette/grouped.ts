/** Ranks the results of a search and puts them into groups. */
import { rankOf, ranks } from './rank.ts';
import { type Group, groupOrder, type Item } from './types.ts';

export interface ItemGroup {
  readonly group: Group;
  readonly items: readonly Item[];
}

const maxPerGroup = 6;
/** The server has searched all texts of its results, so each of them matches at least as a part. */
const found = ranks.part;

/** Groups the items. The group with the best match comes first. */
export function grouped(search: string, local: readonly Item[], server: readonly Item[]): ItemGroup[] {
  const ranked = [
    ...local.map((item) => ({ item, rank: rankIn(search, item) })),
    ...server.map((item) => ({ item, rank: Math.max(found, rankOf(search, item.title)) })),
  ].filter(({ rank }) => rank > ranks.none);
  return groupOrder
    .map((group) => {
      const own = ranked
        .filter(({ item }) => item.group === group)
        .sort((left, right) => right.rank - left.rank)
        .slice(0, maxPerGroup);
      return { group, rank: own[0]?.rank ?? ranks.none, items: own.map(({ item }) => item) };
    })
    .filter(({ items }) => items.length > 0)
    .sort((left, right) => right.rank - left.rank);
}

/** The title counts more than the words that aren't shown. */
function rankIn(search: string, { title, words }: Item): number {
  const own = rankOf(search, title);
  if (own >= ranks.part || words === undefined) return own;
  const hidden = rankOf(search, `${title} ${words}`);
  return Math.max(own, hidden >= ranks.part ? ranks.part : hidden);
}
