/** The statements on the tables of the group. */
import { sql } from '../../base/kernel/sql.ts';
import type { Queryable } from '../database/types.ts';
import type { Recorded } from './decide.ts';

export interface Identity {
  readonly salt: Buffer;
  readonly fingerprint: Buffer;
}

/**
 * Returns undefined if the database has no group yet, or if its tables belong to another account, so that this node
 * can't share its state.
 */
export async function findIdentity(db: Queryable): Promise<Identity | undefined> {
  const [table] = await db.query<{ isOurs: boolean | null }>(sql`
    select pg_catalog.has_table_privilege(c.oid, 'update') as "isOurs" from pg_catalog.pg_class c
    where c.oid operator(pg_catalog.=) pg_catalog.to_regclass('_plinth.group_identity')`);
  if (table?.isOurs !== true) return undefined;
  const [row] = await db.query<Identity>(sql`select salt, fingerprint from _plinth.group_identity`);
  return row;
}

/** Waits until no other node changes the state, and prevents changes until the transaction ends. */
export async function lockIdentity(db: Queryable): Promise<Identity | undefined> {
  const [row] = await db.query<Identity>(
    sql`select salt, fingerprint from _plinth.group_identity for update`,
  );
  return row;
}

/** Has no effect if another node has created the identity. Waits for a node that is creating it. */
export async function createIdentity(db: Queryable, { salt, fingerprint }: Identity): Promise<void> {
  await db.query(sql`
    insert into _plinth.group_identity (salt, fingerprint) values (${salt}, ${fingerprint})
    on conflict on constraint group_identity_pkey do nothing`);
}

/** Returns the number of the last change. Returns undefined if the group was removed. */
export async function readChange(db: Queryable): Promise<string | undefined> {
  const [row] = await db.query<{ change: string }>(
    sql`select change::pg_catalog.text as change from _plinth.group_identity`,
  );
  return row?.change;
}

/** Notifies the other nodes when the transaction is committed. */
export async function announceChange(db: Queryable, channel: string): Promise<void> {
  await db.query(sql`
    update _plinth.group_identity set change = change operator(pg_catalog.+) 1
    returning pg_catalog.pg_notify(${channel}, 'changed')`);
}

export async function readVersions(db: Queryable): Promise<Map<string, Recorded>> {
  const rows = await db.query<{ name: string; version: string; digest: string | null }>(sql`
    select name, version::pg_catalog.text as version, pg_catalog.encode(digest, 'hex') as digest
    from _plinth.group_state`);
  return new Map(
    rows.map(({ name, version, digest }) => [name, { version: Number(version), digest }] as const),
  );
}

export async function readContent(
  db: Queryable,
  name: string,
): Promise<{ readonly version: number; readonly content: Buffer | null } | undefined> {
  const [row] = await db.query<{ version: string; content: Buffer | null }>(sql`
    select version::pg_catalog.text as version, content from _plinth.group_state
    where name operator(pg_catalog.=) ${name}`);
  return row && { version: Number(row.version), content: row.content };
}

export async function storeContent(
  db: Queryable,
  name: string,
  { version, digest }: Recorded,
  content: Buffer | null,
): Promise<void> {
  await db.query(sql`
    insert into _plinth.group_state (name, version, digest, content)
    values (${name}, ${version}, pg_catalog.decode(${digest}, 'hex'), ${content})
    on conflict on constraint group_state_pkey do update
      set version = excluded.version, digest = excluded.digest, content = excluded.content,
        changed_at = pg_catalog.now()`);
}

export async function deleteContent(db: Queryable, names: readonly string[]): Promise<void> {
  await db.query(
    sql`delete from _plinth.group_state where name operator(pg_catalog.=) any (${names}::pg_catalog.text[])`,
  );
}
