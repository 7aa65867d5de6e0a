/** What tables are made of, and changes of it: shown as SQL first, then run. */
import type { Pool } from '../../database/types.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, parse } from '../routes/api.ts';
import { applyChanges, statementsOf, type WriteMigration } from './apply.ts';
import { isTableChange, type SchemaChange } from './changes.ts';
import { nameToConfirm } from './core/losses.ts';
import { countLosses } from './count-losses.ts';
import { listEnums, readStructure, readVocabulary, type TriggerRow } from './structure.ts';

export interface SchemaDeps {
  /** Signs in as `postgres`, which owns the users' tables. */
  readonly pool: Pool;
  readonly audit: Audit;
  readonly writeMigration: WriteMigration;
}

export function schemaRoutes(api: Api, { pool, audit, writeMigration }: SchemaDeps): void {
  api.route('GET', '/schema', 'read', () => readVocabulary(pool));
  api.route('GET', '/enums', 'read', async () => ({ enums: await listEnums(pool) }));
  api.route('GET', '/tables/:schema/:table/structure', 'read', async ({ request, operator }) => {
    const { schema = '', table = '' } = request.params as { schema?: string; table?: string };
    const structure = await readStructure(pool, schema, table);
    if (may(operator.role, 'secrets')) return structure;
    const triggers = structure.triggers.map((trigger) => ({
      ...trigger,
      definition: shownDefinition(trigger),
    }));
    return { ...structure, triggers };
  });
  api.route('POST', '/schema/preview', 'write', async ({ request }) => {
    const { changes } = await parse('schemaPreview', request.body);
    return {
      statements: statementsOf(changes),
      confirm: nameToConfirm(changes) ?? null,
      warnings: await pool.transaction((tx) => countLosses(tx, changes), { readOnly: true }),
    };
  });
  api.route('POST', '/schema/apply', 'write', async (call) => {
    const { changes, confirmed, migration } = await parse('schemaApply', call.request.body);
    const statements = statementsOf(changes);
    const name = nameToConfirm(changes);
    if (name !== undefined && confirmed !== name)
      throw new ConsoleError('bad_request', { message: `Type ${name} to confirm that it goes for good.` });
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

/** Every operator reads the audit log, and a webhook's trigger is given its keys as arguments. */
function withoutArguments(change: SchemaChange): SchemaChange {
  if (change.kind !== 'create_trigger' || (change.arguments ?? []).length === 0) return change;
  return { ...change, arguments: ['…'] };
}

/** Without its arguments: a webhook's hold the keys that it sends. Cut at the first place where they could begin. */
function shownDefinition({ definition, function: { schema, name } }: TriggerRow): string {
  const [head] = definition.split(' EXECUTE FUNCTION ', 1);
  return definition.endsWith('()') ? definition : `${head} EXECUTE FUNCTION ${schema}.${name}(…)`;
}

function targetOf(change: SchemaChange): string {
  if (isTableChange(change)) return `${change.schema}.${change.table}`;
  return change.kind === 'create_schema' ? change.name : `${change.schema}.${change.name}`;
}
