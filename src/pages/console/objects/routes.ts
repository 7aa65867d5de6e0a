/**
 * Lists types, sequences, publications, event triggers and foreign servers. They are changed by the routes in
 * `../schema/`, except that event triggers are created by a migration.
 */
import { quoteIdentifier as id, quoteLiteral } from '../../../base/kernel/sql.ts';
import type { Database } from '../../../platform/database/types.ts';
import { listRoles } from '../access/queries.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import type { NewMigrations } from '../management/database-calls.ts';
import { withReason } from '../migrations/with-reason.ts';
import type { Api } from '../routes/api.ts';
import type { NewEventTrigger } from './contract.ts';
import { listForeignServers, listWrappers } from './foreign.ts';
import {
  listEventTriggerFunctions,
  listEventTriggers,
  listPublications,
  listPublishableTables,
  listSequences,
  listTypes,
} from './queries.ts';

interface ObjectDeps {
  readonly database: Database;
  readonly audit: Audit;
  readonly newMigrations: NewMigrations;
  readonly isProduction: boolean;
}

export function objectRoutes(api: Api, { database, audit, newMigrations, isProduction }: ObjectDeps): void {
  const pool = database.pool('postgres');
  const route = api.feature(() => import('./contract.ts'));
  route('GET /types', 'read', async () => ({ types: await listTypes(pool) }));
  route('GET /sequences', 'read', async () => ({ sequences: await listSequences(pool) }));
  route('GET /publications', 'read', async () => {
    const [publications, tables] = await Promise.all([listPublications(pool), listPublishableTables(pool)]);
    return { publications, tables };
  });
  route('GET /event-triggers', 'read', async () => {
    const [triggers, functions] = await Promise.all([
      listEventTriggers(pool),
      listEventTriggerFunctions(pool),
    ]);
    return { triggers, functions, run: !isProduction };
  });
  route('POST /event-triggers', 'write', async (call) => {
    const wanted = await call.body();
    if (isProduction)
      throw new ConsoleError('refused', {
        message: 'Event triggers of the project run only in development, so none can be created here.',
      });
    const text = `${eventTriggerText(wanted)};\n`;
    const { file } = await withReason(() => newMigrations.apply({ name: wanted.migration, text }));
    await audit(call, 'schema.change', wanted.name, {
      changes: ['create_event_trigger'],
      statements: [text],
      ...(file === undefined ? {} : { migration: file }),
    });
    return { file: file ?? null };
  });
  route('GET /foreign-servers', 'read', async () => {
    const [servers, wrappers, roles] = await Promise.all([
      listForeignServers(pool),
      listWrappers(pool),
      listRoles(pool),
    ]);
    return { servers, wrappers, roles: roles.map(({ name }) => name) };
  });
}

function eventTriggerText({ name, event, tags, function: called }: NewEventTrigger): string {
  const filter = tags.length === 0 ? '' : `  when tag in (${tags.map(quoteLiteral).join(', ')})\n`;
  return `create event trigger ${id(name)} on ${event}\n${filter}  execute function ${id(called.schema)}.${id(called.name)}()`;
}
