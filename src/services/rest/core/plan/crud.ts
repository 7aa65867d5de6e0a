/** Plans a parsed request: resolves its names in the schema cache and selects the format of the response. */
import { restError } from '../../errors.ts';
import { keyOf, type QualifiedName, type Relation, type SchemaCache } from '../../schema-cache/types.ts';
import type { RestSettings } from '../../settings.ts';
import { readAccept } from '../parse/media-type.ts';
import type { Preferences } from '../parse/preferences.ts';
import { type QueryTree, readQuery } from '../parse/query.ts';
import type { CrudAction, CrudRequest } from '../request.ts';
import { findRoutine, planCall } from './call.ts';
import { tableNotFound } from './hints.ts';
import { type Negotiation, negotiate } from './negotiate.ts';
import { hasDefaultSelect, planRead, type ReadOptions } from './read.ts';
import type { CrudPlan, Mutation, ReadPlan } from './types.ts';
import { planWrite } from './write.ts';

interface PlanContext {
  readonly cache: SchemaCache;
  readonly settings: RestSettings;
}

interface Planning extends PlanContext {
  readonly request: CrudRequest;
  readonly tree: QueryTree;
}

/** @throws {RestError} the first fault of the request, in PostgREST's order */
export function planCrud(request: CrudRequest, { cache, settings }: PlanContext): CrudPlan {
  const planning = { request, tree: request.tree ?? readQuery(request.query), cache, settings };
  switch (request.action.kind) {
    case 'read':
      return planReadAction(request.action, planning);
    case 'write':
      return planWriteAction(request.action, planning);
    case 'call':
      return planCallAction(request.action, planning);
  }
}

type ActionOf<K extends CrudAction['kind']> = Extract<CrudAction, { kind: K }>;

const NO_BODY = { kind: 'none' } as const;

function planReadAction({ name, headersOnly }: ActionOf<'read'>, planning: Planning): CrudPlan {
  const { request, tree, cache, settings } = planning;
  const target = findRelation(cache, { schema: request.profile.schema, name });
  const read = planRead({ cache, relation: target }, tree, readOptions('read', settings));
  const negotiated = negotiateFor(read, target, planning);
  rejectInvalidPreferences(request.preferences);
  const handler = headersOnly ? NO_BODY : negotiated.handler;
  return { kind: 'read', read, target, headersOnly, ...negotiated, handler };
}

function planWriteAction({ name, mutation }: ActionOf<'write'>, planning: Planning): CrudPlan {
  const { request, tree, cache, settings } = planning;
  const { preferences, payload } = request;
  const target = findRelation(cache, { schema: request.profile.schema, name });
  const read = planRead({ cache, relation: target }, tree, readOptions('write', settings));
  const write = planWrite(cache, target, { mutation, query: tree, payload, preferences }, read);
  rejectInvalidPreferences(preferences);
  const negotiated = negotiateFor(read, target, planning);
  if (settings.safeUpdate) rejectUnfiltered(mutation, write.where.length, write.body.columns.length);
  const handler = preferences.return === 'representation' ? negotiated.handler : NO_BODY;
  return { kind: 'write', read, write, target, ...negotiated, handler };
}

function planCallAction({ name, method }: ActionOf<'call'>, planning: Planning): CrudPlan {
  const { request, tree, cache, settings } = planning;
  const { preferences, payload, contentType, profile, query } = request;
  const isPost = method === 'POST';
  const given = isPost
    ? (payload?.keys ?? [])
    : [...new Set(query.callArguments.map(([argument]) => argument))].sort();
  const routine = findRoutine(cache, { schema: profile.schema, name, given, contentType, isPost });
  // If a function returns a relation's row type, the request can embed the relation's related tables in the result.
  const target: QualifiedName = {
    schema: routine.schema,
    name: routine.returnsComposite ? routine.returns.name : routine.name,
  };
  const read = planRead({ cache, relation: target }, tree, readOptions('call', settings));
  const source =
    !isPost || contentType.kind === 'form'
      ? 'parameters'
      : contentType.kind === 'json' || contentType.kind === 'csv'
        ? 'json'
        : 'raw';
  const call = planCall(routine, { given, source, isObject: payload?.isObject ?? true }, read);
  const negotiated = negotiateFor(read, target, planning);
  rejectInvalidPreferences(preferences);
  if (preferences.maxAffected !== undefined && preferences.handling === 'strict' && !routine.returnsSet) {
    throw restError('PGRST128');
  }
  const headersOnly = method === 'HEAD';
  const handler = headersOnly ? NO_BODY : negotiated.handler;
  const readOnly = !isPost || routine.volatility !== 'volatile';
  return { kind: 'call', read, call, target, headersOnly, readOnly, ...negotiated, handler };
}

const readOptions = (purpose: ReadOptions['purpose'], settings: RestSettings): ReadOptions => ({
  purpose,
  maxRows: settings.maxRows,
  aggregates: settings.aggregatesEnabled,
  legacyNames: settings.legacyTargetNames,
});

const negotiateFor = (
  read: ReadPlan,
  relation: QualifiedName,
  { request, cache, settings }: Planning,
): Negotiation =>
  negotiate({ cache, relation }, readAccept(request.accept), hasDefaultSelect(read), settings.planEnabled);

/** Rejects writes without a filter, as the extension pg-safeupdate does, before the statement is sent. */
function rejectUnfiltered(mutation: Mutation, conditions: number, columns: number): void {
  if (conditions > 0) return;
  if (mutation === 'delete') throw unfiltered('DELETE');
  if (mutation === 'update' && columns > 0) throw unfiltered('UPDATE');
}

const unfiltered = (command: 'UPDATE' | 'DELETE') => restError('21000', { texts: { command } });

function rejectInvalidPreferences({ handling, invalid }: Preferences): void {
  if (handling !== 'strict' || invalid.length === 0) return;
  throw restError('PGRST122', { details: `Invalid preferences: ${invalid.join(', ')}` });
}

export function findRelation(cache: SchemaCache, name: QualifiedName): Relation {
  const relation = cache.relations.get(keyOf(name.schema, name.name));
  if (relation === undefined) throw tableNotFound(cache, name.schema, name.name);
  return relation;
}
