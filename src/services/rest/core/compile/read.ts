/**
 * Compiles a read plan to one SELECT. Embeds are lateral joins, so their filters, order and limits apply separately to
 * each parent row.
 */
import { type Sql, sql } from '../../../../base/kernel/sql.ts';
import type { QualifiedName } from '../../schema-cache/types.ts';
import type { EmbedOutput, PlanCondition, ReadPlan } from '../plan/types.ts';
import {
  columnOf,
  conditionOf,
  groupBy,
  joinOf,
  logicOf,
  nameOf,
  orderBy,
  param,
  rowsOfCall,
  selectedColumn,
  spreadColumn,
} from './fragments.ts';

/**
 * The limit keys of the levels whose limit or offset the request sets. The limits of all other levels are constants.
 */
export type GivenRanges = ReadonlySet<string>;

export interface ReadOptions {
  readonly given: GivenRanges;
  /** Whether Citus plans the statement. */
  readonly isDistributed: boolean;
}

export function selectOf(plan: ReadPlan, options: ReadOptions): Sql {
  const table = tableOf(plan);
  const isBare = plan.columns.length === 0 && plan.embeds.length === 0;
  const columns = isBare
    ? [columnOf(table, '*')]
    : plan.columns.map((column) => selectedColumn(table, column));
  const extra =
    plan.spread?.kind === 'to-many'
      ? plan.spread.extra.map(({ relation, column }) =>
          selectedColumn(relation === undefined ? table : { schema: '', name: relation }, column),
        )
      : [];
  const list = sql.join([...columns, ...extra, ...plan.outputs.flatMap(outputOf)]);
  const joins = sql.join(
    plan.outputs.map((output) => joinedEmbed(plan, output, options)),
    '',
  );
  const conditions = [
    ...plan.where.map((condition) => conditionOf(table, condition)),
    ...plan.joinConditions.map(joinOf),
  ];
  return sql`select ${list}${fromOf(plan, options.isDistributed)}${joins}${whereAll(conditions)}${groupBy(table, plan.columns, plan.outputs)}${orderBy(table, plan.order)}${limitOf(plan, options)}`;
}

export const whereAll = (conditions: readonly Sql[]): Sql =>
  conditions.length === 0 ? sql.empty : sql` where ${sql.join(conditions, ' and ')}`;

/** Returns the table name or alias that qualifies the level's columns. */
function tableOf(plan: ReadPlan): QualifiedName {
  if (plan.fromAlias !== undefined) return { schema: '', name: plan.fromAlias };
  return plan.from;
}

function fromOf(plan: ReadPlan, isDistributed: boolean): Sql {
  const alias = plan.fromAlias === undefined ? sql.empty : sql` as ${sql.id(plan.fromAlias)}`;
  const { relationship } = plan;
  if (relationship?.kind === 'computed') {
    // The cast lets PostgreSQL select the overload, because a row from a common table expression has no named type.
    const row = plan.parentAlias ?? relationship.table.name;
    const call = sql`${nameOf(relationship.function)}(${sql.id(row)}::${nameOf(relationship.table)})`;
    return sql` from ${rowsOfCall(call, isDistributed && plan.fromAlias !== undefined)}${alias}`;
  }
  const junction = relationship?.junction;
  const joined = junction === undefined ? sql.empty : sql`, ${nameOf(junction.table)}`;
  return sql` from ${nameOf(plan.from)}${alias}${joined}`;
}

function outputOf(output: EmbedOutput): Sql[] {
  if (output.kind === 'spread')
    return output.columns.map((column) => spreadColumn(output.aggregateAlias, column));
  if (output.empty) return [];
  const alias = sql.id(output.aggregateAlias);
  return output.mode === 'object'
    ? [sql`row_to_json(${alias}.*)::jsonb as ${sql.id(output.name)}`]
    : [sql`coalesce(${alias}.${alias}, '[]') as ${sql.id(output.name)}`];
}

function joinedEmbed(parent: ReadPlan, output: EmbedOutput, options: ReadOptions): Sql {
  const embed = parent.embeds.find((one) => one.aggregateAlias === output.aggregateAlias);
  if (embed === undefined) throw new Error(`no embed for the output ${output.aggregateAlias}`);
  const inner = embed.join === 'inner';
  const alias = sql.id(output.aggregateAlias);
  const join = sql.raw(inner ? ' inner join lateral ' : ' left join lateral ');
  const rows = selectOf(embed, options);
  const isList = output.kind === 'json' ? output.mode === 'array' : embed.spread?.kind === 'to-many';
  if (!isList) return sql`${join}(${rows}) as ${alias} on true`;
  const spread = embed.spread?.kind === 'to-many' ? embed.spread : undefined;
  const arrays =
    output.kind === 'spread' && spread !== undefined
      ? output.columns.map((column) => {
          const order = orderBy({ schema: '', name: output.aggregateAlias }, spread.order);
          const value = columnOf({ schema: '', name: output.aggregateAlias }, column.name);
          return sql`, coalesce(json_agg(${value}${order}), '[]')::jsonb as ${sql.id(column.alias ?? column.name)}`;
        })
      : [];
  const condition = inner ? sql`${alias} is not null` : sql.raw('true');
  return sql`${join}(select json_agg(${alias})::jsonb as ${alias}${sql.join(arrays, '')} from (${rows}) as ${alias}) as ${alias} on ${condition}`;
}

/**
 * Without a limit, PostgreSQL merges the query into the one around it. Citus then sends the workers a row without column
 * names, so the JSON would contain `f1` instead of a name. OFFSET 0 prevents this.
 */
function limitOf(plan: ReadPlan, { given, isDistributed }: ReadOptions): Sql {
  const { rangeKey, maxRows } = plan;
  if (rangeKey !== undefined && given.has(rangeKey)) {
    const limit = param({ kind: 'limit', key: rangeKey, maxRows });
    return sql` limit ${limit} offset ${param({ kind: 'offset', key: rangeKey, maxRows })}`;
  }
  if (maxRows !== undefined) return sql.raw(` limit ${maxRows}`);
  return isDistributed ? sql.raw(' offset 0') : sql.empty;
}

/**
 * Returns a query for counting, which returns one row per root row before limits apply. The query doesn't select any
 * columns, so functions that compute columns don't run. Inner embeds and null filters on embeds become EXISTS
 * conditions.
 */
export function countOf(plan: ReadPlan, isDistributed: boolean): Sql {
  const table = tableOf(plan);
  const write = (condition: PlanCondition): Sql => {
    if (condition.kind === 'logic') return logicOf(condition, write);
    if (condition.kind === 'filter') return conditionOf(table, condition);
    const embed = plan.embeds.find((one) => one.aggregateAlias === condition.aggregateAlias);
    if (embed === undefined) throw new Error(`no embed for the condition on ${condition.aggregateAlias}`);
    return sql`${sql.raw(condition.negated ? '' : 'not ')}exists (${countOf(embed, isDistributed)})`;
  };
  const conditions = [
    ...plan.where.map(write),
    ...plan.joinConditions.map(joinOf),
    ...plan.embeds
      .filter((embed) => embed.join === 'inner')
      .map((embed) => sql`exists (${countOf(embed, isDistributed)})`),
  ];
  return sql`select 1${fromOf(plan, isDistributed)}${whereAll(conditions)}`;
}
