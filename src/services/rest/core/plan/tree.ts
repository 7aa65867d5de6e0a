/**
 * Builds the tree of levels from `select`. Filters, order, ranges and logic are then added to the level at the path
 * that they specify.
 */
import { restError } from '../../errors.ts';
import type { QualifiedName } from '../../schema-cache/types.ts';
import type { EmbedPath, SelectItem } from '../parse/types.ts';
import { type Resolver, resolveOutput } from './resolve.ts';
import type { ReadPlan } from './types.ts';

function emptyLevel(from: QualifiedName, depth: number, more: Partial<ReadPlan> = {}): ReadPlan {
  return {
    columns: [],
    from,
    fromAlias: undefined,
    where: [],
    order: [],
    rangeKey: undefined,
    maxRows: undefined,
    name: from.name,
    alias: undefined,
    hint: undefined,
    join: undefined,
    depth,
    aggregateAlias: '',
    relationship: undefined,
    parentAlias: undefined,
    joinConditions: [],
    spread: undefined,
    outputs: [],
    embeds: [],
    legacyName: false,
    ...more,
  };
}

export function treeOf(resolver: Resolver, items: readonly SelectItem[]): ReadPlan {
  const root = emptyLevel(resolver.relation, 0);
  fill(root, resolver, items);
  return root;
}

function fill(level: ReadPlan, resolver: Resolver, items: readonly SelectItem[]): void {
  for (const item of items) {
    if (item.kind === 'field') {
      level.columns.push({
        field: resolveOutput({ ...resolver, relation: level.from }, item.field),
        alias: item.alias,
        cast: item.cast,
        aggregate: item.aggregate,
        aggregateCast: item.aggregateCast,
      });
      continue;
    }
    const embed = emptyLevel({ schema: resolver.relation.schema, name: item.relation }, level.depth + 1, {
      alias: item.alias,
      hint: item.hint,
      join: item.join,
      spread: item.kind === 'spread' ? { kind: 'to-one' } : undefined,
    });
    fill(embed, resolver, item.items);
    level.embeds.push(embed);
  }
}

/**
 * Changes the level at `path` in the tree. If `legacyNames` is set, an embed with an alias can also be found by its
 * relation name. As in PostgREST, each embed on the path becomes the first of its siblings.
 */
export function atPath(
  level: ReadPlan,
  path: EmbedPath,
  legacyNames: boolean,
  change: (level: ReadPlan) => void,
): void {
  const [name, ...rest] = path;
  if (name === undefined) {
    change(level);
    return;
  }
  const shown = (embed: ReadPlan) => embed.alias ?? embed.name;
  const found = level.embeds.find((embed) =>
    legacyNames ? embed.name === name || embed.alias === name : shown(embed) === name,
  );
  if (found === undefined)
    throw notEmbedded(name, legacyNames ? undefined : level.embeds.find((one) => one.name === name));
  if (found.name === name && found.alias !== undefined && found.alias !== name) found.legacyName = true;
  atPath(found, rest, legacyNames, change);
  level.embeds = [found, ...level.embeds.filter((embed) => embed !== found)];
}

function notEmbedded(name: string, aliased: ReadPlan | undefined) {
  if (aliased?.alias === undefined) {
    return restError('PGRST108', {
      texts: { name },
      hint: `Verify that '${name}' is included in the 'select' query parameter.`,
    });
  }
  return restError('PGRST108', {
    texts: { name },
    details: 'Target names are not allowed in filters if they have an alias',
    hint: `Change '${aliased.name}' to '${aliased.alias}' in filters, orders or limits.`,
  });
}

export function eachLevel(level: ReadPlan, visit: (level: ReadPlan) => void): void {
  visit(level);
  for (const embed of level.embeds) eachLevel(embed, visit);
}
