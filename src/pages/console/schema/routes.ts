/** The routes that read and change the structure of tables. The Console shows a change as SQL before applying it. */
import type { Pool } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import { accessWarnings } from './access-warnings.ts';
import { applyChanges, statementsOf, type WriteMigration } from './apply.ts';
import { buildConcurrently, concurrentBuild } from './build-concurrently.ts';
import { readIndexBuilds } from './builds.ts';
import { isExtensionChange, isTableChange, type SchemaChange } from './changes.ts';
import { checkGrants } from './check-grants.ts';
import type { TriggerRow } from './contract.ts';
import { definedName, headOf } from './core/definition.ts';
import { refusalOf } from './core/refusals.ts';
import { hasSecrets, withoutSecrets } from './core/secrets.ts';
import { countLosses, nameToConfirm } from './count-losses.ts';
import { readDiagram } from './diagram.ts';
import { listEnums, readStructure, readVocabulary } from './structure.ts';
import { tryDefinitions } from './try-definitions.ts';

export interface SchemaDeps {
  /** A pool whose connections log in as `postgres`, which owns the project's tables. */
  readonly pool: Pool;
  readonly audit: Audit;
  readonly writeMigration: WriteMigration;
  /** Whether event triggers of the project run on this server. */
  readonly runsEventTriggers: boolean;
}

export function schemaRoutes(api: Api, { pool, audit, writeMigration, runsEventTriggers }: SchemaDeps): void {
  const route = api.feature(() => import('./contract.ts'));
  route('GET /schema', 'read', () => readVocabulary(pool));
  route('GET /schema/diagram', 'read', async () => ({ tables: await readDiagram(pool) }));
  route('GET /enums', 'read', async () => ({ enums: await listEnums(pool) }));
  route('GET /tables/:schema/:table/structure', 'read', async ({ params, operator }) => {
    const structure = await readStructure(pool, params.schema, params.table);
    if (may(operator.role, 'secrets')) return structure;
    const triggers = structure.triggers.map((trigger) => ({
      ...trigger,
      definition: shownDefinition(trigger),
    }));
    return { ...structure, triggers };
  });
  route('GET /tables/:schema/:table/builds', 'read', async ({ params, operator }) => ({
    builds: await readIndexBuilds(pool, { ...params, isRedacted: !may(operator.role, 'secrets') }),
  }));
  route('POST /schema/preview', 'write', async ({ body }) => {
    const { changes } = await body();
    checkAllowed(changes);
    // Checks the changes before secrets are replaced.
    const statements = statementsOf(changes);
    const warnings = await pool.transaction(
      async (tx) => [...(await countLosses(tx, changes)), ...(await accessWarnings(tx, changes))],
      { readOnly: true },
    );
    return {
      statements: statementsOf(changes.map(withoutSecrets)),
      confirm: nameToConfirm(changes) ?? null,
      warnings: [...warnings, ...(await tryDefinitions(pool, changes, statements))],
      hasSecrets: changes.some(hasSecrets),
    };
  });
  route('POST /schema/apply', 'write', async (call) => {
    const { changes, confirmed, migration } = await call.body();
    checkAllowed(changes);
    const statements = statementsOf(changes);
    const shown = statementsOf(changes.map(withoutSecrets));
    const isSecret = changes.some(hasSecrets);
    if (migration !== undefined && isSecret)
      throw new ConsoleError('bad_request', {
        message: "This change contains a secret, so it can't be saved as a migration file.",
      });
    const name = nameToConfirm(changes);
    if (name !== undefined && confirmed !== name)
      throw new ConsoleError('bad_request', { message: `Type ${name} to confirm the permanent deletion.` });
    const saved = migration === undefined ? undefined : { name: migration, write: writeMigration };
    const build = concurrentBuild(changes);
    const file =
      build === undefined
        ? await applyChanges(pool, statements, saved, { isSecret, fill: (tx) => checkGrants(tx, changes) })
        : await buildConcurrently(pool, build, statements.join(), saved);
    const targets = [...new Set(changes.map(targetOf))].join(', ');
    await audit(call, 'schema.change', targets, {
      changes: changes.map(({ kind }) => kind),
      statements: changes.flatMap(auditedStatements),
      ...(file === undefined ? {} : { migration: file }),
    });
    return { statements: shown, file: file ?? null };
  });

  /** @throws {ConsoleError} refused if a change would break Plinth */
  function checkAllowed(changes: readonly SchemaChange[]): void {
    for (const change of changes) {
      const reason = refusalOf(change) ?? (runsEventTriggers ? undefined : eventTriggerRefusal(change));
      if (reason !== undefined) throw new ConsoleError('refused', { message: reason });
    }
  }
}

const eventTriggerRefusal = (change: SchemaChange): string | undefined =>
  change.kind === 'set_event_trigger' && change.enabled
    ? 'Event triggers of the project run only in development, because they would run for every statement of the server.'
    : undefined;

/**
 * Returns the statements as they are recorded. Definitions are recorded without their text, because a function's source
 * and a trigger's arguments can contain keys, and every operator can read the audit log.
 */
function auditedStatements(change: SchemaChange): string[] {
  if (change.kind !== 'define') return statementsOf([withoutSecrets(withoutArguments(change))]);
  return statementsOf([change]).map((statement) => `${headOf(statement)} …`);
}

/**
 * Removes the arguments of a trigger, because the arguments can contain the keys of a webhook. Every operator can read
 * the audit log, so it must not contain these keys.
 */
function withoutArguments(change: SchemaChange): SchemaChange {
  if (change.kind !== 'create_trigger' || (change.arguments ?? []).length === 0) return change;
  return { ...change, arguments: ['…'] };
}

/**
 * Removes the arguments from the definition of a trigger, because the arguments can contain the keys of a webhook. The
 * definition is truncated at the first position where the arguments can begin.
 */
function shownDefinition({ definition, function: { schema, name } }: TriggerRow): string {
  const [head] = definition.split(' EXECUTE FUNCTION ', 1);
  return definition.endsWith('()') ? definition : `${head} EXECUTE FUNCTION ${schema}.${name}(…)`;
}

/** Returns the name of the changed object for the audit log. */
function targetOf(change: SchemaChange): string {
  if (change.kind === 'define') return definedName(change.object, change.text) ?? change.object;
  if (isTableChange(change)) return `${change.schema}.${change.table}`;
  if (isExtensionChange(change)) return change.extension;
  if ('target' in change)
    return change.target.type === 'schema'
      ? change.target.name
      : `${change.target.schema}.${change.target.name}`;
  if ('role' in change && !('server' in change)) return change.role;
  if ('publication' in change) return change.publication;
  if ('trigger' in change) return change.trigger;
  if ('server' in change) return change.server;
  return change.kind === 'create_schema' ? change.name : `${change.schema}.${change.name}`;
}
