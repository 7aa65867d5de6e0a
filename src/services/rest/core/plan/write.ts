/** Plans inserts, upserts, updates and deletes. Determines the columns that must be returned for the representation. */
import { restError } from '../../errors.ts';
import type { Relation, SchemaCache } from '../../schema-cache/types.ts';
import type { Payload } from '../parse/payload.ts';
import type { Preferences } from '../parse/preferences.ts';
import type { QueryTree } from '../parse/query.ts';
import { columnInput, type Resolver, resolveFilter, resolveLogic } from './resolve.ts';
import type { Mutation, PlanField, ReadPlan, WritePlan } from './types.ts';

export interface WriteRequest {
  readonly mutation: Mutation;
  readonly query: QueryTree;
  readonly payload: Pick<Payload, 'keys' | 'isObject'> | undefined;
  readonly preferences: Preferences;
}

export function planWrite(
  cache: SchemaCache,
  relation: Relation,
  request: WriteRequest,
  read: ReadPlan,
): WritePlan {
  const { mutation, query, preferences } = request;
  const resolver: Resolver = { cache, relation };
  if (mutation === 'put') checkPut(relation, query);
  const rootFilters = query.filters.filter(({ path }) => path.length === 0);
  const where = [
    ...rootFilters.map(({ filter }) => resolveFilter(resolver, filter)),
    ...query.logic.map(({ tree }) => resolveLogic(resolver, tree)),
  ];
  const wantsRows = preferences.return === 'representation' || preferences.return === 'headers-only';
  return {
    mutation,
    table: { schema: relation.schema, name: relation.name },
    body: {
      columns:
        mutation === 'delete'
          ? []
          : (request.payload?.keys ?? []).map((name) => input(resolver, relation, name)),
      isObject: request.payload?.isObject ?? false,
      applyDefaults: preferences.missing === 'default' && (mutation === 'insert' || mutation === 'update'),
    },
    conflict: conflict(relation, request),
    hasOnConflict: query.onConflict !== undefined,
    where: mutation === 'insert' ? [] : where,
    returning: wantsRows ? neededColumns(read, relation.primaryKey) : [],
    primaryKey: mutation === 'insert' ? relation.primaryKey : [],
  };
}

function input(resolver: Resolver, relation: Relation, name: string): PlanField {
  const column = relation.columns.get(name);
  if (column === undefined) throw restError('PGRST204', { texts: { table: relation.name, column: name } });
  return columnInput(resolver, column);
}

function conflict(relation: Relation, request: WriteRequest): WritePlan['conflict'] {
  if (request.mutation === 'put') return { resolution: 'merge-duplicates', columns: relation.primaryKey };
  const { resolution } = request.preferences;
  if (request.mutation !== 'insert' || resolution === undefined) return undefined;
  return { resolution, columns: request.query.onConflict ?? relation.primaryKey };
}

function checkPut(relation: Relation, query: QueryTree): void {
  const keys = new Set(query.filterKeys);
  const primaryKey = new Set(relation.primaryKey);
  const allEqual = query.filters.every(({ path, filter: { expression } }) => {
    const { operation } = expression;
    if (path.length > 0) return true;
    return (
      !expression.negated &&
      operation.kind === 'quantified' &&
      operation.operator === 'eq' &&
      operation.quantifier === undefined
    );
  });
  const complete = primaryKey.size > 0 && keys.size === primaryKey.size && keys.isSubsetOf(primaryKey);
  if (query.logic.length > 0 || !complete || !allEqual) throw restError('PGRST105');
}

/** Returns the columns that a write or call must return because the read plan selects them or uses them in joins. */
export function neededColumns(read: ReadPlan, primaryKey: readonly string[]): string[] {
  const names = new Set(read.columns.map((column) => column.field.name));
  if (names.has('*') || read.embeds.some((embed) => embed.relationship?.kind === 'computed')) return ['*'];
  for (const { relationship } of read.embeds) {
    if (relationship?.kind !== 'key') continue;
    const pairs = relationship.junction?.sourceColumns ?? relationship.columns;
    for (const [own] of pairs) names.add(own);
  }
  for (const name of primaryKey) names.add(name);
  return [...names].sort();
}
