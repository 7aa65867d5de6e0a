/** The routes that read and change the structure of tables. The Console shows a change as SQL before applying it. */
import type { Pool } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import { applyChanges, statementsOf, type WriteMigration } from './apply.ts';
import { isTableChange, type SchemaChange } from './changes.ts';
import type { TriggerRow } from './contract.ts';
import { countLosses, nameToConfirm } from './count-losses.ts';
import { listEnums, readStructure, readVocabulary } from './structure.ts';

export interface SchemaDeps {
  /** A pool whose connections log in as `postgres`, which owns the project's tables. */
  readonly pool: Pool;
  readonly audit: Audit;
  readonly writeMigration: WriteMigration;
}

export function schemaRoutes(api: Api, { pool, audit, writeMigration }: SchemaDeps): void {
  const route = api.feature(() => import('./contract.ts'));
  route('GET /schema', 'read', () => readVocabulary(pool));
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
  route('POST /schema/preview', 'write', async ({ body }) => {
    const { changes } = await body();
    return {
      statements: statementsOf(changes),
      confirm: nameToConfirm(changes) ?? null,
      warnings: await pool.transaction((tx) => countLosses(tx, changes), { readOnly: true }),
    };
  });
  route('POST /schema/apply', 'write', async (call) => {
    const { changes, confirmed, migration } = await call.body();
    const statements = statementsOf(changes);
    const name = nameToConfirm(changes);
    if (name !== undefined && confirmed !== name)
      throw new ConsoleError('bad_request', { message: `Type ${name} to confirm the permanent deletion.` });
    const file = await applyChanges(
      pool,
      statements,
      migration === undefined ? undefined : { name: migration, write: writeMigration },
    );
    const targets = [...new Set(changes.map(targetOf))].join(', ');
    await audit(call, 'schema.change', targets, {
      changes: changes.map(({ kind }) => kind),
      statements: statementsOf(changes.map(withoutArguments)),
      ...(file === undefined ? {} : { migration: file }),
    });
    return { statements, file: file ?? null };
  });
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

function targetOf(change: SchemaChange): string {
  if (isTableChange(change)) return `${change.schema}.${change.table}`;
  return change.kind === 'create_schema' ? change.name : `${change.schema}.${change.name}`;
}
