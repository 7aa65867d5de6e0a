/** Detects whether this database has pg_cron, pg_net and pgmq, and returns the statements that enable them. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Database, Queryable } from '../../../platform/database/types.ts';
import type { Audit } from '../audit.ts';
import type { ExtensionName, Parts } from './contract.ts';

export interface JobDeps {
  readonly database: Database;
  readonly audit: Audit;
}

/**
 * The SQL statements that enable the extensions. The statements run as `postgres` and would also work in a migration.
 * The schemas are the same as in upstream's documentation.
 */
export const enabling: Readonly<Record<ExtensionName, string>> = {
  pg_cron: 'create extension if not exists pg_cron with schema pg_catalog',
  pg_net: 'create extension if not exists pg_net with schema extensions',
  pgmq: 'create extension if not exists pgmq',
};

export async function readParts(db: Queryable): Promise<Parts> {
  const has = (schema: string, table: string) => sql`exists (
    select from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = ${schema} and c.relname = ${table})`;
  const state = (extension: string, schema: string, table: string) => sql`case
    when ${has(schema, table)} then 'ready'
    when exists (select from pg_available_extensions where name = ${extension}) then 'off'
    else 'missing' end`;
  const [row] = await db.query<Parts>(sql`
    select ${state('pg_cron', 'cron', 'job')} as cron,
      ${state('pg_net', 'net', '_http_response')} as net,
      ${state('pgmq', 'pgmq', 'meta')} as queues,
      exists (select from pg_proc p join pg_namespace n on n.oid = p.pronamespace
        where n.nspname = 'supabase_functions' and p.proname = 'http_request') as hooks,
      ${has('cron', '_timetable')} and exists (
        select from pg_namespace n join pg_roles r on r.oid = n.nspowner
        where n.nspname = 'cron' and r.rolsuper) as "ownCron"`);
  return row as Parts;
}
