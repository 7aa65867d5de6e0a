/** Ranks and groups the results of a search. */
import { rankOf, ranks } from './rank.ts';
import { type Group, groupOrder, type Item } from './types.ts';

export interface ItemGroup {
  readonly group: Group;
  readonly items: readonly Item[];
  /** The number of all results in the group. `items` may contain only the best of these results. */
  readonly count: number;
}

const maxPerGroup = 6;
/**
 * The minimum rank of the server's results. The server has searched all texts of these results, so each result matches
 * at least in part.
 */
const found = ranks.part;

/**
 * Groups the items. The group with the best match comes first. Only the groups in `whole` contain all of their results.
 */
export function grouped(
  search: string,
  local: readonly Item[],
  server: readonly Item[],
  whole: ReadonlySet<Group>,
): ItemGroup[] {
  const ranked = [
    ...local.map((item) => ({ item, rank: rankIn(search, item) })),
    ...server.map((item) => ({ item, rank: Math.max(found, rankOf(search, item.title)) })),
  ].filter(({ rank }) => rank > ranks.none);
  return groupOrder
    .map((group) => {
      const own = ranked
        .filter(({ item }) => item.group === group)
        .sort((left, right) => right.rank - left.rank);
      const shown = whole.has(group) ? own : own.slice(0, maxPerGroup);
      return {
        group,
        rank: own[0]?.rank ?? ranks.none,
        items: shown.map(({ item }) => item),
        count: own.length,
      };
    })
    .filter(({ items }) => items.length > 0)
    .sort((left, right) => right.rank - left.rank);
}

/** Returns the rank of an item. The item's title has more weight than the words that aren't shown. */
function rankIn(search: string, { title, words }: Item): number {
  const own = rankOf(search, title);
  if (own >= ranks.part || words === undefined) return own;
  const hidden = rankOf(search, `${title} ${words}`);
  return Math.max(own, hidden >= ranks.part ? ranks.part : hidden);
}
