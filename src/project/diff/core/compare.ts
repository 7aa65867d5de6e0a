/** Compares two snapshots of a schema and orders the resulting statements. The functions have no side effects. */
import type { Action, Fact, FactBase, RenameCandidate, StableId } from '@supabase/pg-delta';
import type { DiffOptions, DiffStatement, SchemaDiff, Snapshot } from '../types.ts';
import { breakCycles } from './cycles.ts';
import { isWrongDefault, unwantedDefaults, withoutMemberDefaults, withReplacedDefaults } from './defaults.ts';
import { addingValuesFirst, committingNewValues, restoredForEnum } from './enum-values.ts';
import { compareExtras } from './extras.ts';
import { foldColumns } from './fold-columns.ts';
import { managedView } from './managed-view.ts';
import { keepExtensionSchemas } from './normalize.ts';
import { partitionMoves } from './partitions.ts';
import { planOf } from './plan.ts';
import { compareProperties, type Property } from './properties.ts';
import { schemaOfId } from './refs.ts';
import { isPossibleRename, isSamePair, renameOf } from './renames.ts';
import { planReplacingTypes } from './replaced-types.ts';
import { grantsAfterNewOwner, revokingTablesFirst } from './revocations.ts';
import { separateDrops } from './separate-drops.ts';
import { canLoseData } from './type-changes.ts';
import { comparable, inAnyVersion } from './versions.ts';
import { withVirtualColumns } from './virtual-columns.ts';

/** Returns the statements that turn the schema `from` into the schema `to`, in the order in which they must run. */
export function compareSnapshots(before: Snapshot, after: Snapshot, options: DiffOptions = {}): SchemaDiff {
  const [from, to] = comparable(before, after, options.targetVersion);
  const { schemas = [], role = 'postgres', renames = [] } = options;
  const includes = (schema: string | undefined): boolean =>
    schemas.length === 0 || (schema !== undefined && schemas.includes(schema));
  const cycles = breakCycles(from, to);
  const plannedBetween = (facts: FactBase, wanted: FactBase, accepted: readonly RenameCandidate[] = []) =>
    planOf(facts, keepExtensionSchemas(facts, wanted), {
      policy: managedView(facts, wanted),
      capability: { role, isSuperuser: true, memberOf: [] },
      renames: 'prompt',
      acceptRenames: accepted.map((candidate) => ({ from: candidate.from, to: candidate.to })),
    });
  const isIncluded = (action: Action, wanted: FactBase): boolean =>
    includes(schemaOf(action)) && !isWrongDefault(action, wanted);
  const separate = separateDrops(cycles.from, cycles.to);
  const withoutDefaults = withoutMemberDefaults(separate.from, to, { role, includes });
  const changeOfDefaults = (facts: FactBase, wanted: FactBase): Action[] =>
    facts === wanted
      ? []
      : plannedBetween(facts, wanted).actions.filter((action) => !isWrongDefault(action, wanted));
  const removedDefaults = changeOfDefaults(separate.from, withoutDefaults);
  // The plan restores removed default privileges in the compared schemas, so only default privileges in other schemas
  // must be restored.
  const restoredDefaults = changeOfDefaults(withoutDefaults, separate.from).filter(
    (action) => !includes(schemaOf(action)),
  );
  const planned = (accepted: readonly RenameCandidate[]) =>
    planReplacingTypes(withReplacedDefaults(withoutDefaults, cycles.to), (facts) =>
      plannedBetween(facts, cycles.to, accepted),
    );
  const first = planned([]);
  const candidates = first.plan.renameCandidates.filter((each) =>
    isPossibleRename(each, from.facts, to.facts),
  );
  const isAccepted = (candidate: RenameCandidate): boolean =>
    renames.some((each) => isSamePair(each, renameOf(candidate)));
  const accepted = candidates.filter(isAccepted);
  const replacing = accepted.length === 0 ? first : planned(accepted);
  const { actions: all, preamble } = replacing.plan;
  const actions = addingValuesFirst(revokingTablesFirst(foldColumns(all, cycles.to)))
    .filter((action) => isIncluded(action, to.facts))
    .map((action) => withVirtualColumns(action, to));
  const defaults = unwantedDefaults(from.facts, to.facts, role);
  const known = new Set(actions.map(({ sql }) => sql));
  const insertions = compareExtras(from.extras, to.extras, { actions, role, includes });
  const properties = compareProperties(
    from.properties.filter(({ schema }) => includes(schema ?? undefined)),
    to.properties.filter(({ schema }) => includes(schema ?? undefined)),
    {
      isTouched: touchedBy(actions),
      exists: (property) => hasFact(to, property) && !isRecreated(actions, property),
    },
  );
  const around = cycles.around(actions);
  const statements: DiffStatement[] = [
    ...around.before,
    ...separate.statements,
    ...removedDefaults.map(({ sql }) => sql),
    ...replacing.statements,
    ...properties.before,
    ...grantsAfterNewOwner(properties.before, from.facts, to.facts),
  ].map(plain);
  for (let index = 0; index <= actions.length; index++) {
    for (const { at, statements: texts } of insertions)
      if (at === index) statements.push(...texts.map(plain));
    const action = actions[index];
    if (action === undefined) continue;
    const revoked = defaults.after(action).filter((text) => !known.has(text));
    const restored = restoredForEnum(action, replacing.from, to.facts).filter((text) => !known.has(text));
    statements.push(statementOf(action, replacing.from, to.facts), ...[...revoked, ...restored].map(plain));
  }
  const restored = restoredDefaults.map(({ sql }) => sql);
  statements.push(...[...restored, ...around.after, ...properties.after].map(plain));
  const needsSetting =
    preamble.some(({ name }) => name === 'check_function_bodies') || around.before.length > 0;
  const committing = committingNewValues(statements);
  return {
    statements:
      needsSetting && committing.length > 0
        ? [plain('SET check_function_bodies = off'), ...committing]
        : committing,
    possibleRenames: candidates.filter((candidate) => !isAccepted(candidate)).map(renameOf),
    partitionMoves: partitionMoves(from.facts, to.facts),
  };
}

/**
 * A statement that drops an extra with CASCADE is destructive, because it also drops the columns that depend on that
 * object.
 */
const plain = (text: string): DiffStatement => ({
  text: inAnyVersion(text),
  isDestructive: /^DROP [^;]* CASCADE$/.test(text),
  needsCommit: false,
});

function statementOf(action: Action, before: FactBase, facts: FactBase): DiffStatement {
  const { sql, dataLoss, newSegmentBefore, verb, produces } = action;
  const [id] = produces;
  const text = sql.trim().replace(/;+$/, '').trimEnd();
  return {
    text:
      verb === 'create' && id?.kind === 'extension' ? extensionText(text, facts.get(id)) : inAnyVersion(text),
    isDestructive: dataLoss === 'destructive' || dropsState.test(sql) || narrowsColumn(action, before, facts),
    needsCommit: newSegmentBefore,
  };
}

/**
 * Accepts an extension that the server that runs the statement already has, which is common on hosted servers. pg-delta
 * doesn't read pg_catalog, so it omits `SCHEMA pg_catalog`.
 */
function extensionText(text: string, extension: Fact | undefined): string {
  const isInCatalogSchema = extension?.payload.schema === 'pg_catalog' && !/ SCHEMA /.test(text);
  const created = text.replace(/^CREATE EXTENSION (?!IF NOT EXISTS )/, 'CREATE EXTENSION IF NOT EXISTS ');
  return isInCatalogSchema ? `${created} SCHEMA pg_catalog` : created;
}

/** Dropping a sequence also removes its current value, and dropping an extension can also drop tables. */
const dropsState = /^DROP (?:SEQUENCE|EXTENSION) /;

function narrowsColumn({ sql, verb, consumes }: Action, before: FactBase, facts: FactBase): boolean {
  const id = consumes.find(({ kind }) => kind === 'column');
  if (verb !== 'alter' || id === undefined || !/ ALTER COLUMN "(?:[^"]|"")+" TYPE /.test(sql)) return false;
  return canLoseData(String(before.get(id)?.payload.type), String(facts.get(id)?.payload.type));
}

/** Returns the schema of the first of the action's objects that belongs to a schema. */
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
      // A trigger's enabled state is also set for the partitions of its table, so the trigger counts as touched in
      // every table.
      if (id.kind === 'trigger') touched.add(`trigger ${id.name}`);
      if (id.kind === 'publication' && produces.includes(id))
        touched.add(JSON.stringify([null, id.name, null]));
      if (isRelation(id) && produces.includes(id)) touched.add(JSON.stringify([id.schema, id.name, null]));
    }
  return ({ schema, relation, column, property }) =>
    touched.has(property) ||
    touched.has(JSON.stringify([schema, relation, column])) ||
    touched.has(JSON.stringify([schema, relation, null]));
}

/** Whether the plan recreates the property's object. Recreating the object resets the property to its default. */
const isRecreated = (actions: readonly Action[], { schema, relation, property }: Property): boolean =>
  actions.some(
    ({ verb, produces, destroys }) =>
      (verb === 'create' &&
        produces.some((id) => isRelation(id) && id.schema === schema && id.name === relation)) ||
      destroys.some((id) => id.kind === 'trigger' && property === `trigger ${id.name}`),
  );

const relationKinds = ['table', 'foreignTable', 'materializedView', 'view', 'sequence'] as const;

const isRelation = (id: StableId): id is StableId & { readonly schema: string; readonly name: string } =>
  relationKinds.some((kind) => kind === id.kind);

function hasFact({ facts }: Snapshot, { schema, relation, column, property }: Property): boolean {
  if (schema === null) return facts.has({ kind: 'publication', name: relation });
  if (relation === '') return true;
  if (property.startsWith('statistics of ')) return false;
  const [, extension] = /^privileges of a type of (.*)$/s.exec(property) ?? [];
  if (extension !== undefined) return facts.has({ kind: 'extension', name: extension });
  if (facts.has({ kind: 'type', schema, name: relation }))
    return column === null || facts.has({ kind: 'typeAttribute', schema, type: relation, name: column });
  const kind = relationKinds.find((each) => facts.has({ kind: each, schema, name: relation }));
  if (kind === undefined) return false;
  // The columns of views aren't checked, because the facts don't include them.
  return (
    column === null ||
    kind === 'view' ||
    kind === 'materializedView' ||
    facts.has({ kind: 'column', schema, table: relation, name: column })
  );
}
