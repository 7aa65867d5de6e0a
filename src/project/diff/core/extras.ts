/** Compares the definitions of objects that pg-delta doesn't model (extras). */
import type { Action, StableId } from '@supabase/pg-delta';
import { quoteIdentifier, quoteLiteral } from '../../../base/kernel/sql.ts';
import { type CatalogObject, type ObjectKind, quoteIfNeeded } from '../../../operations/dump/index.ts';
import type { Extras } from '../types.ts';
import { refOf, refOfId } from './refs.ts';

const unmodeled: ReadonlySet<ObjectKind> = new Set<ObjectKind>([
  'OPERATOR',
  'OPERATOR FAMILY',
  'OPERATOR CLASS',
  'CAST',
  'CONVERSION',
  'TEXT SEARCH PARSER',
  'TEXT SEARCH TEMPLATE',
  'TEXT SEARCH DICTIONARY',
  'TEXT SEARCH CONFIGURATION',
  'STATISTICS',
]);

export const isUnmodeled = ({ kind }: CatalogObject): boolean => unmodeled.has(kind);

/** Statements that run before the action with the index `at`. */
export interface Insertion {
  readonly at: number;
  readonly statements: readonly string[];
}

interface Creation extends Insertion {
  readonly ref: string;
}

interface Extra {
  readonly object: CatalogObject;
  readonly definition: string;
  /** The names of the objects that the extra depends on. */
  readonly needs: ReadonlySet<string>;
  readonly comment: string | undefined;
}

export interface ExtrasOptions {
  readonly actions: readonly Action[];
  readonly role: string;
  readonly includes: (schema: string | undefined) => boolean;
}

/** Whether the fact is a whole object, rather than a part such as a column or a grant. */
const isObject = (id: StableId): boolean =>
  !('target' in id) && !('table' in id) && id.kind !== 'typeAttribute';

/** Returns the statements that create, change and drop extras, with their positions among the actions. */
export function compareExtras(
  from: Extras,
  to: Extras,
  { actions, role, includes }: ExtrasOptions,
): Insertion[] {
  const before = byName(from, includes);
  const after = byName(to, includes);
  const destroyed = new Set(actions.flatMap(({ destroys }) => destroys.filter(isObject).map(refOfId)));
  const dropped: Extra[] = [];
  const created: Extra[] = [];
  const changed: Insertion[] = [];
  for (const [name, extra] of before) {
    const next = after.get(name);
    if (next === undefined || mustRecreate(extra, next, destroyed)) dropped.push(extra);
  }
  for (const [name, extra] of after) {
    const previous = before.get(name);
    if (previous === undefined || mustRecreate(previous, extra, destroyed)) created.push(extra);
    else changed.push({ at: actions.length, statements: changes(previous, extra) });
  }
  const creations = place(inOrder(created), actions, role);
  const drops = inOrder(dropped)
    .toReversed()
    .map((extra): Insertion => {
      const { at, statements } = drop(extra, actions);
      // If an extra is recreated, the old object is dropped before the new one is created.
      const creation = creations.find(({ ref }) => ref === refOf(extra.object));
      return { at: Math.min(at, creation?.at ?? at), statements };
    });
  return [...drops, ...creations, ...changed].filter(({ statements }) => statements.length > 0);
}

function byName({ objects, dependencies, comments, refs }: Extras, includes: ExtrasOptions['includes']) {
  const needs = Map.groupBy(dependencies, ({ from }) => from);
  const extras = objects
    .filter(({ schema }) => includes(schema))
    .map((object): Extra => {
      const keys = [...(object.needs ?? []), ...(needs.get(object.key) ?? []).map(({ to }) => to)];
      return {
        object,
        definition: object.create(new Set()).join(';'),
        needs: new Set(keys.flatMap((key) => refs.get(key) ?? [])),
        comment: comments.get(object.key),
      };
    });
  return new Map(extras.map((extra) => [refOf(extra.object), extra]));
}

/**
 * Whether the extra must be recreated, because its definition can't be changed or an object that it depends on is
 * recreated.
 */
function mustRecreate(before: Extra, after: Extra, destroyed: ReadonlySet<string>): boolean {
  if (before.object.kind !== 'STATISTICS' && [...before.needs].some((ref) => destroyed.has(ref))) return true;
  if (before.definition === after.definition) return false;
  return !(hasMappings(after) && first(before) === first(after));
}

const hasMappings = ({ object }: Extra): boolean => object.kind === 'TEXT SEARCH CONFIGURATION';
const first = ({ object }: Extra): string => object.create(new Set())[0] ?? '';

function changes(before: Extra, after: Extra): string[] {
  const { kind, identity, owner } = after.object;
  return [
    ...(before.definition === after.definition ? [] : mappingChanges(before, after)),
    ...(owner === undefined || owner === before.object.owner ? [] : [ownerStatement(after.object, owner)]),
    ...(before.comment === after.comment
      ? []
      : [
          `COMMENT ON ${kind} ${identity} IS ${after.comment === undefined ? 'NULL' : quoteLiteral(after.comment)}`,
        ]),
  ];
}

/**
 * Returns the statements that change the mappings of a text search configuration. The configuration isn't dropped and
 * recreated, because columns and indexes can depend on it.
 */
function mappingChanges(before: Extra, after: Extra): string[] {
  const removed = before.object
    .create(new Set())
    .slice(1)
    .map((statement) => statement.replace(/ ADD MAPPING (FOR .*?) WITH .*/s, ' DROP MAPPING $1'));
  return [...removed, ...after.object.create(new Set()).slice(1)];
}

const ownerStatement = ({ kind, identity }: CatalogObject, owner: string): string =>
  `ALTER ${kind} ${identity} OWNER TO ${quoteIdentifier(owner)}`;

/** Sorts extras so that each extra follows the extras that it depends on. */
function inOrder(extras: readonly Extra[]): Extra[] {
  const waiting = new Map(extras.map((extra) => [refOf(extra.object), extra]));
  const sorted: Extra[] = [];
  const visit = (name: string, extra: Extra): void => {
    if (!waiting.delete(name)) return;
    for (const need of extra.needs) {
      const other = waiting.get(need);
      if (other !== undefined) visit(need, other);
    }
    sorted.push(extra);
  };
  for (const [name, extra] of [...waiting]) visit(name, extra);
  return sorted;
}

/**
 * Returns the statement that drops an extra. The statement runs before the objects that the extra depends on are
 * dropped. Columns and indexes that use the extra may belong to tables that are dropped later, so CASCADE drops them.
 * Dropping a table also drops its statistics objects, so the statement for these uses IF EXISTS and runs first.
 */
function drop({ object, needs }: Extra, actions: readonly Action[]): Insertion {
  const { kind, identity } = object;
  if (kind === 'STATISTICS') return { at: 0, statements: [`DROP STATISTICS IF EXISTS ${identity}`] };
  const isNeeded = (id: StableId): boolean =>
    (isObject(id) && needs.has(refOfId(id))) || (callsFunctions.has(kind) && isRoutine(id));
  const at = actions.findIndex(({ destroys }) => destroys.some(isNeeded));
  return at === -1
    ? { at: actions.length, statements: [`DROP ${kind} ${identity}`] }
    : { at, statements: [`DROP ${kind} ${identity} CASCADE`] };
}

const callsFunctions: ReadonlySet<string> = new Set([
  'OPERATOR',
  'OPERATOR FAMILY',
  'OPERATOR CLASS',
  'CAST',
]);
type RoutineId = Extract<StableId, { args: string[] }>;
const isRoutine = (id: StableId): id is RoutineId => id.kind === 'function' || id.kind === 'procedure';
const routineName = ({ schema, name }: RoutineId): string =>
  `${quoteIfNeeded(schema)}.${quoteIfNeeded(name)}`;

/**
 * Returns the positions at which extras are created. Each extra is created as soon as its dependencies exist, because
 * columns and indexes can depend on the extra.
 */
function place(extras: readonly Extra[], actions: readonly Action[], role: string): Creation[] {
  const lastOf = new Map<string, number>();
  actions.forEach(({ verb, produces, sql }, index) => {
    if (verb === 'create' && !/^(GRANT|REVOKE|COMMENT) /.test(sql))
      for (const id of produces) lastOf.set(refOfId(id), index + 1);
  });
  // In pg_depend, the dependencies on an operator class's functions belong to the entries of the class. These entries
  // aren't extras, so the functions are found in the text of the definition.
  const calledBy = (definition: string): number =>
    1 +
    actions.findLastIndex(
      ({ verb, produces }) =>
        verb === 'create' && produces.some((id) => isRoutine(id) && definition.includes(routineName(id))),
    );
  const insertions: Creation[] = [];
  for (const { object, needs, comment, definition } of extras) {
    const { kind, identity, owner, schema } = object;
    const refs = [...needs, ...(schema === undefined ? [] : [`schema ${schema}`])];
    const at =
      kind === 'STATISTICS'
        ? actions.length
        : Math.max(
            callsFunctions.has(kind) ? calledBy(definition) : 0,
            ...refs.map((ref) => lastOf.get(ref) ?? 0),
          );
    lastOf.set(refOf(object), at);
    const statements = [
      ...object.create(new Set()),
      ...(owner === undefined || owner === role ? [] : [ownerStatement(object, owner)]),
      ...(comment === undefined ? [] : [`COMMENT ON ${kind} ${identity} IS ${quoteLiteral(comment)}`]),
    ];
    insertions.push({ at, statements, ref: refOf(object) });
  }
  return insertions;
}
