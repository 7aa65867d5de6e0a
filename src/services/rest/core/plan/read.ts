/**
 * Plans a read. A read is a tree of levels that is transformed in stages, whose order matters. Writes and calls also
 * use this module to plan the rows that they return.
 */
import { restError } from '../../errors.ts';
import { isToOne, keyOf } from '../../schema-cache/types.ts';
import type { QueryTree } from '../parse/query.ts';
import { hoistAggregates, orderToManySpreads } from './aggregates.ts';
import { addRelationships } from './relationships.ts';
import { columnOutput, type Resolver, resolveFilter, resolveLogic, resolveOrder } from './resolve.ts';
import { atPath, eachLevel, treeOf } from './tree.ts';
import type { EmbedOutput, PlanColumn, PlanCondition, ReadPlan, SpreadColumn } from './types.ts';

export interface ReadOptions {
  readonly purpose: 'read' | 'write' | 'call';
  readonly maxRows: number | undefined;
  readonly aggregates: boolean;
  readonly legacyNames: boolean;
}

export function planRead(resolver: Resolver, query: QueryTree, options: ReadOptions): ReadPlan {
  const { purpose } = options;
  const root = treeOf(resolver, query.select);
  applyParameters(root, resolver, query, options);
  addRelationships(root, resolver, purpose !== 'read');
  expandStars(root, resolver, false);
  eachLevel(root, addAliases);
  eachLevel(root, resolveRelatedOrder);
  eachLevel(root, resolveNullEmbeds);
  addOutputs(root);
  eachLevel(root, (level) => {
    if (!options.aggregates && level.columns.some((column) => column.aggregate !== undefined)) {
      throw restError('PGRST123');
    }
  });
  hoistAggregates(root);
  if (purpose !== 'write') {
    eachLevel(root, (level) => {
      if (!isOneRow(level)) level.maxRows = options.maxRows;
    });
  }
  eachLevel(root, orderToManySpreads);
  return root;
}

/**
 * Whether a unique key limits the level to one row for each row of its parent. A limit would only prevent PostgreSQL
 * from joining the tables without a subquery.
 */
const isOneRow = ({ relationship }: ReadPlan): boolean =>
  relationship?.kind === 'key' && isToOne(relationship);

/**
 * Applies the parameters in reverse order. If two parameters apply to the same position in the tree, the first
 * parameter takes precedence.
 */
function applyParameters(
  root: ReadPlan,
  resolver: Resolver,
  query: QueryTree,
  { purpose, legacyNames }: ReadOptions,
): void {
  // The top-level filters of a write select the rows to write, so they aren't applied to the returned rows again.
  const applies = ({ path }: { path: readonly string[] }) => purpose !== 'write' || path.length > 0;
  for (const { path, filter } of query.filters.filter(applies).toReversed()) {
    atPath(root, path, legacyNames, (level) => {
      level.where.unshift(resolveFilter({ ...resolver, relation: level.from }, filter));
    });
  }
  for (const { path, terms } of query.order.toReversed()) {
    atPath(root, path, legacyNames, (level) => {
      level.order = terms.map((term) => resolveOrder(resolver, term));
    });
  }
  if (purpose !== 'write') {
    for (const { path, key } of query.ranges) {
      atPath(root, path, legacyNames, (level) => {
        level.rangeKey = key;
      });
    }
    root.rangeKey = 'limit';
  }
  for (const { path, tree } of query.logic.filter(applies).toReversed()) {
    atPath(root, path, legacyNames, (level) => {
      level.where.unshift(resolveLogic({ ...resolver, relation: level.from }, tree));
    });
  }
}

/**
 * Replaces `*` with individual columns where they are required: for data representations, aggregates and to-many
 * spreads.
 */
function expandStars(level: ReadPlan, resolver: Resolver, inAggregate: boolean): void {
  const aggregates =
    inAggregate ||
    level.columns.some((column) => column.aggregate !== undefined) ||
    level.spread?.kind === 'to-many';
  const isSpread = level.spread !== undefined;
  const relation =
    level.from.schema === '' ? { ...resolver.relation, name: level.fromAlias ?? '' } : level.from;
  const known = [
    ...(resolver.cache.relations.get(keyOf(relation.schema, relation.name))?.columns.values() ?? []),
  ];
  const fields = known.map((column) => columnOutput({ ...resolver, relation }, column));
  const isStar = (column: PlanColumn) => column.field.name === '*' && column.field.jsonPath.length === 0;
  const countsRows = (column: PlanColumn) => isStar(column) && isSpread && column.aggregate === 'count';
  const represented = fields.some((field) => field.transform !== undefined);
  if (aggregates || represented) {
    level.columns = level.columns.flatMap((column) => {
      if (isStar(column) && column.aggregate === undefined)
        return fields.map((field) => ({ ...column, field }));
      return countsRows(column) ? [{ ...column, field: { ...column.field, fullRow: true } }] : [column];
    });
  }
  for (const embed of level.embeds) expandStars(embed, resolver, aggregates);
}

/**
 * Adds an alias to each output to which PostgreSQL would otherwise give a different name than PostgREST. An alias is
 * added for the last key of a JSON path, a converted column, and a spread aggregate.
 */
function addAliases(level: ReadPlan): void {
  level.columns = level.columns.map((column) => {
    if (column.alias !== undefined) return column;
    const { field } = column;
    if (column.aggregate !== undefined) {
      return level.spread === undefined ? column : { ...column, alias: column.aggregate };
    }
    const keys = field.jsonPath.flatMap(({ operand }) => ('key' in operand ? [operand.key] : []));
    if (field.jsonPath.length > 0) return { ...column, alias: keys.at(-1) ?? field.name };
    return field.transform === undefined ? column : { ...column, alias: field.name };
  });
}

function resolveRelatedOrder(level: ReadPlan): void {
  level.order = level.order.map((term) => {
    if (term.relation === undefined) return term;
    const embed = level.embeds.find((one) => (one.alias ?? one.name) === term.relation);
    if (embed === undefined) {
      throw restError('PGRST108', {
        texts: { name: term.relation },
        hint: `Verify that '${term.relation}' is included in the 'select' query parameter.`,
      });
    }
    if (embed.relationship === undefined || !isToOne(embed.relationship)) {
      const target = embed.alias ?? embed.name;
      throw restError('PGRST118', {
        texts: { target },
        details: `'${level.from.name}' and '${target}' do not form a many-to-one or one-to-one relationship`,
      });
    }
    return { ...term, relation: embed.aggregateAlias };
  });
}

/** Resolves conditions such as `embed=is.null`, which test whether a joined row exists instead of a column's value. */
function resolveNullEmbeds(level: ReadPlan): void {
  const resolve = (condition: PlanCondition): PlanCondition => {
    if (condition.kind === 'logic') return { ...condition, children: condition.children.map(resolve) };
    if (condition.kind !== 'filter' || condition.field.jsonPath.length > 0) return condition;
    const { operation, negated } = condition.expression;
    if (operation.kind !== 'is' || operation.value !== 'null') return condition;
    const embed = level.embeds.find((one) => (one.alias ?? one.name) === condition.field.name);
    if (embed === undefined) return condition;
    return { kind: 'null-embed', negated, aggregateAlias: embed.aggregateAlias };
  };
  level.where = level.where.map(resolve);
}

function addOutputs(level: ReadPlan): void {
  for (const embed of level.embeds) addOutputs(embed);
  level.outputs = level.embeds.map((embed): EmbedOutput => {
    if (embed.spread !== undefined) {
      return { kind: 'spread', columns: spreadColumns(embed), aggregateAlias: embed.aggregateAlias };
    }
    return {
      kind: 'json',
      name: embed.alias ?? embed.name,
      aggregateAlias: embed.aggregateAlias,
      mode: embed.relationship !== undefined && isToOne(embed.relationship) ? 'object' : 'array',
      empty: selectsNothing(embed),
    };
  });
}

const selectsNothing = (level: ReadPlan): boolean =>
  level.columns.length === 0 && level.embeds.every((embed) => selectsNothing(embed));

function spreadColumns(level: ReadPlan): SpreadColumn[] {
  const plain = (name: string): SpreadColumn => ({
    name,
    alias: undefined,
    aggregate: undefined,
    aggregateCast: undefined,
  });
  return [
    ...level.columns.map((column) => plain(column.alias ?? column.field.name)),
    ...level.outputs.flatMap((output) => (output.kind === 'json' ? [plain(output.name)] : output.columns)),
  ];
}

/** Whether the request selects only whole rows of the relation, as custom handlers require. */
export const hasDefaultSelect = (plan: ReadPlan): boolean =>
  plan.embeds.length === 0 && plan.columns.length === 1 && plan.columns[0]?.field.name === '*';
