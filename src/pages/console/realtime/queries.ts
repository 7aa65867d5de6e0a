/** Reads the catalog data that determines whether an event is delivered to a channel. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { PublishedTable } from './contract.ts';

/** The publication from which the realtime service streams changes. */
export const publication = 'supabase_realtime';

export const publishedTables = (db: Queryable): Promise<PublishedTable[]> =>
  db.query<PublishedTable>(sql`
    select schemaname as schema, tablename as "table" from pg_publication_tables
    where pubname = ${publication} order by schemaname, tablename`);

export interface TableFacts {
  readonly exists: boolean;
  readonly published: boolean;
  readonly rls: boolean;
  /** Whether the role can read at least one column of the table. */
  readonly readable: boolean;
  /** The number of policies that apply when the role reads rows from the table. */
  readonly policies: number;
  readonly hasPrimaryKey: boolean;
}

const absent: TableFacts = {
  exists: false,
  published: false,
  rls: false,
  readable: false,
  policies: 0,
  hasPrimaryKey: false,
};

export async function tableFacts(
  db: Queryable,
  { schema, table }: PublishedTable,
  role: string,
): Promise<TableFacts> {
  const [row] = await db.query<TableFacts>(sql`
    select true as "exists", c.relrowsecurity as rls,
      exists (select 1 from pg_publication_tables p
              where p.pubname = ${publication} and p.schemaname = n.nspname and p.tablename = c.relname) as published,
      has_schema_privilege(r.oid, n.oid, 'usage') and has_any_column_privilege(r.oid, c.oid, 'select') as readable,
      ${policiesFor(sql`c.oid`, 'r')} as policies,
      exists (select 1 from pg_constraint k where k.conrelid = c.oid and k.contype = 'p') as "hasPrimaryKey"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles r on r.rolname = ${role}
    where n.nspname = ${schema} and c.relname = ${table}`);
  return row ?? absent;
}

export interface TopicPermissions {
  /**
   * The number of policies on realtime.messages that apply when the role joins a channel and reads from it, and the
   * number that apply when the role sends.
   */
  readonly read: number;
  readonly write: number;
}

export async function topicPermissions(db: Queryable, role: string): Promise<TopicPermissions> {
  const [row] = await db.query<TopicPermissions>(sql`
    select ${policiesFor(sql`c.oid`, 'r')} as read, ${policiesFor(sql`c.oid`, 'a')} as write
    from pg_class c, pg_roles r
    where c.oid = to_regclass('realtime.messages') and r.rolname = ${role}`);
  return row ?? { read: 0, write: 0 };
}

/**
 * Returns a subquery that counts the policies for a command (`r` for SELECT, `a` for INSERT), including policies that
 * apply to all commands (`*`).
 */
const policiesFor = (table: ReturnType<typeof sql>, command: 'r' | 'a'): ReturnType<typeof sql> => sql`
  (select count(*)::int4 from pg_policy p
   where p.polrelid = ${table} and p.polpermissive and p.polcmd in (${command}, '*')
     and exists (select 1 from unnest(p.polroles) as named (id)
                 where named.id = 0 or pg_has_role(r.oid, named.id, 'member')))`;
