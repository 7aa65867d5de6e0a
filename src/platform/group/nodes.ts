/** The running nodes of the group. */
import { sql } from '../../base/kernel/sql.ts';
import type { Queryable } from '../database/types.ts';
import type { ViewNode } from './view.ts';

export interface NodeRow {
  readonly id: string;
  /** The machine's name and the port. */
  readonly name: string;
  /** Plinth's version. */
  readonly version: string;
  /** The files of the storage service. */
  readonly storage: NodeStorage;
}

export interface NodeStorage {
  readonly kind: 'file' | 's3' | 'none';
  /** Nodes with the same value see the same files. */
  readonly id: string;
}

export interface RunningNode extends NodeRow {
  readonly startedAt: string;
  readonly seenAt: string;
}

/** The time after which a node that hasn't renewed its row counts as ended. */
const goneAfter = '15 seconds';
/** The time after which the row of an ended node is deleted. */
const deleteAfter = '1 hour';

/** Adds or renews the node's row, and notifies all nodes. */
export async function recordNode(db: Queryable, node: NodeRow, channel: string): Promise<void> {
  const { id, name, version, storage } = node;
  await db.query(sql`
    with ended as (
      delete from _plinth.group_nodes
      where seen_at operator(pg_catalog.<) (pg_catalog.now() operator(pg_catalog.-) ${deleteAfter}::pg_catalog.interval)
    )
    insert into _plinth.group_nodes (id, name, version, storage_kind, storage_id)
    values (${id}, ${name}, ${version}, ${storage.kind}, ${storage.id})
    on conflict on constraint group_nodes_pkey do update set seen_at = pg_catalog.now()
    returning pg_catalog.pg_notify(${channel}, 'alive')`);
}

export async function removeNode(db: Queryable, id: string): Promise<void> {
  await db.query(sql`delete from _plinth.group_nodes where id operator(pg_catalog.=) ${id}::pg_catalog.uuid`);
}

/** Lists the running nodes, oldest first. */
export async function listNodes(db: Queryable): Promise<RunningNode[]> {
  const rows = await db.query<{
    id: string;
    name: string;
    version: string;
    startedAt: string;
    seenAt: string;
    kind: NodeStorage['kind'];
    storageId: string;
  }>(sql`
    select id, name, version, started_at::pg_catalog.text as "startedAt", seen_at::pg_catalog.text as "seenAt",
      storage_kind as kind, storage_id as "storageId"
    from _plinth.group_nodes
    where seen_at operator(pg_catalog.>) (pg_catalog.now() operator(pg_catalog.-) ${goneAfter}::pg_catalog.interval)
    order by started_at, id`);
  return rows.map(({ kind, storageId, ...row }) => ({ ...row, storage: { kind, id: storageId } }));
}

/** Lists the nodes whose rows exist, whether or not they are running, oldest first. */
export async function listKnownNodes(db: Queryable): Promise<ViewNode[]> {
  return await db.query<{ [Field in keyof ViewNode]: ViewNode[Field] }>(sql`
    select id::pg_catalog.text as id, name, version,
      (extract(epoch from started_at) operator(pg_catalog.*) 1000)::pg_catalog.float8 as "startedAtMs",
      (extract(epoch from seen_at) operator(pg_catalog.*) 1000)::pg_catalog.float8 as "seenAtMs",
      seen_at operator(pg_catalog.>) (pg_catalog.now() operator(pg_catalog.-) ${goneAfter}::pg_catalog.interval)
        as "isRunning"
    from _plinth.group_nodes order by started_at, id`);
}
