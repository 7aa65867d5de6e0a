/** What of pg_cron, pg_net and pgmq there is in this database, and what it takes to have it. */
import type { Queryable } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';

/** `ready`: its tables are there. `off`: one statement makes them. `missing`: this PostgreSQL does not know it. */
export type PartState = 'ready' | 'off' | 'missing';

export interface Parts {
  readonly cron: PartState;
  readonly net: PartState;
  readonly queues: PartState;
  /** The trigger function of database webhooks is there. */
  readonly hooks: boolean;
  /** The scheduler is this process: its tables belong to a superuser, so that nothing of a project's runs in them. */
  readonly ownCron: boolean;
}

/** As postgres, and word for word what a migration would say. Upstream's documents put them into the same schemas. */
export const enabling = {
  pg_cron: 'create extension if not exists pg_cron with schema pg_catalog',
  pg_net: 'create extension if not exists pg_net with schema extensions',
  pgmq: 'create extension if not exists pgmq',
} as const;

export type ExtensionName = keyof typeof enabling;

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
