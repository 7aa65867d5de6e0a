/** Compares two schemas: a pure function from snapshots to ordered statements. */
import type { Action, FactBase, RenameCandidate, StableId } from '@supabase/pg-delta';
import { plan } from '@supabase/pg-delta/plan';
import { quoteIfNeeded } from '../../dump/index.ts';
import type { DiffOptions, DiffStatement, Rename, SchemaDiff, Snapshot } from '../types.ts';
import { compareExtras } from './extras.ts';
import { foldColumns } from './fold-columns.ts';
import { managedView } from './managed-view.ts';
import { keepExtensionSchemas } from './normalize.ts';
import { compareProperties, type Property } from './properties.ts';
import { schemaOfId } from './refs.ts';
import { isWrongDefault, unwantedDefaults } from './unwanted-defaults.ts';
import { withVirtualColumns } from './virtual-columns.ts';

/** @returns the statements that change a database from `from` to `to` */
export function compareSnapshots(from: Snapshot, to: Snapshot, options: DiffOptions = {}): SchemaDiff {
  const { schemas = [], role = 'postgres', renames = [] } = options;
  const includes = (schema: string | undefined): boolean =>
    schemas.length === 0 || (schema !== undefined && schemas.includes(schema));
  const planned = (accepted: readonly RenameCandidate[]) =>
    plan(from.facts, keepExtensionSchemas(from.facts, to.facts), {
      policy: managedView,
      capability: { role, isSuperuser: true, memberOf: [] },
      renames: 'prompt',
      acceptRenames: accepted.map((candidate) => ({ from: candidate.from, to: candidate.to })),
    });
  const candidates = planned([]).renameCandidates.filter(({ status }) => status !== 'nearMiss');
  const isAccepted = (candidate: RenameCandidate): boolean => {
    const { from: old, to: now } = renameOf(candidate);
    return renames.some((each) => each.from === old && each.to === now);
  };
  const { actions: all, preamble } = planned(candidates.filter(isAccepted));
  const actions = foldColumns(all, to.facts)
    .filter((action) => includes(schemaOf(action)) && !isWrongDefault(action, to.facts))
    .map((action) => withVirtualColumns(action, to));
  const defaults = unwantedDefaults(from.facts, to.facts, role);
  const known = new Set(actions.map(({ sql }) => sql));
  const insertions = compareExtras(from.extras, to.extras, { actions, role, includes });
  const properties = compareProperties(
    from.properties.filter(({ schema }) => includes(schema ?? undefined)),
    to.properties.filter(({ schema }) => includes(schema ?? undefined)),
    { isTouched: touchedBy(actions), exists: (property) => hasFact(to, property) },
  );
  const statements: DiffStatement[] = [];
  for (let index = 0; index <= actions.length; index++) {
    for (const { at, statements: texts } of insertions)
      if (at === index) statements.push(...texts.map(plain));
    const action = actions[index];
    if (action === undefined) continue;
    const revoked = defaults.after(action).filter((text) => !known.has(text));
    statements.push(statementOf(action, to.facts), ...revoked.map(plain));
  }
  statements.push(...properties.map(plain));
  const needsSetting = preamble.some(({ name }) => name === 'check_function_bodies');
  return {
    statements:
      needsSetting && statements.length > 0
        ? [plain('SET check_function_bodies = off'), ...statements]
        : statements,
    possibleRenames: candidates.filter((candidate) => !isAccepted(candidate)).map(renameOf),
  };
}

const plain = (text: string): DiffStatement => ({ text, isDestructive: false, needsCommit: false });

function statementOf(action: Action, facts: FactBase): DiffStatement {
  const { sql, dataLoss, newSegmentBefore, verb, produces } = action;
  const [id] = produces;
  // pg-delta omits this schema because it doesn't read it.
  const isInCatalogSchema =
    verb === 'create' && id?.kind === 'extension' && facts.get(id)?.payload.schema === 'pg_catalog';
  const schema = isInCatalogSchema && !/ SCHEMA /.test(sql) ? ' SCHEMA pg_catalog' : '';
  return {
    text: sql.trim().replace(/;+$/, '').trimEnd() + schema,
    isDestructive: dataLoss === 'destructive',
    needsCommit: newSegmentBefore,
  };
}

/** Returns the schema of the first object that has one. */
function schemaOf({ produces, destroys, releases, consumes }: Action): string | undefined {
  for (const id of [...produces, ...destroys, ...releases, ...consumes]) {
    const schema = schemaOfId(id);
    if (schema !== undefined) return schema;
  }
  return undefined;
}

function touchedBy(actions: readonly Action[]): (property: Property) => boolean {
  const touched = new Set<string>();
  for (const { produces, consumes } of actions)
    for (const id of [...produces, ...consumes]) {
      if (id.kind === 'column') touched.add(JSON.stringify([id.schema, id.table, id.name]));
      if (id.kind === 'publication') touched.add(JSON.stringify([null, id.name, null]));
      if (relationKinds.some((kind) => kind === id.kind) && 'name' in id && 'schema' in id)
        if (produces.includes(id)) touched.add(JSON.stringify([id.schema, id.name, null]));
    }
  return ({ schema, relation, column }) =>
    touched.has(JSON.stringify([schema, relation, column])) ||
    touched.has(JSON.stringify([schema, relation, null]));
}

const relationKinds = ['table', 'foreignTable', 'materializedView', 'view', 'sequence'] as const;

function hasFact({ facts }: Snapshot, { schema, relation, column, property }: Property): boolean {
  if (schema === null) return facts.has({ kind: 'publication', name: relation });
  if (relation === '') return true;
  if (property.startsWith('statistics of ')) return false;
  if (facts.has({ kind: 'type', schema, name: relation }))
    return column === null || facts.has({ kind: 'typeAttribute', schema, type: relation, name: column });
  const kind = relationKinds.find((each) => facts.has({ kind: each, schema, name: relation }));
  if (kind === undefined) return false;
  // The columns of views aren't checked, because views have no facts for their columns.
  return (
    column === null ||
    kind === 'view' ||
    kind === 'materializedView' ||
    facts.has({ kind: 'column', schema, table: relation, name: column })
  );
}

function renameOf({ kind, from, to }: RenameCandidate): Rename {
  return { kind, from: nameOf(from), to: nameOf(to) };
}

/** Returns the name as written in SQL, qualified with the schema and the table. */
function nameOf(id: StableId): string {
  const parts = [
    'schema' in id ? id.schema : undefined,
    'table' in id ? id.table : undefined,
    'type' in id ? id.type : undefined,
    'name' in id ? id.name : undefined,
  ];
  return parts.flatMap((part) => (typeof part === 'string' ? [quoteIfNeeded(part)] : [])).join('.');
}
