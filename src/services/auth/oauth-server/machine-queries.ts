/** Statements on _plinth.oauth_machine_clients, and on the roles that machine-to-machine clients can have. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { MachineClient } from './machine-client.ts';

/** Returns the settings of machine-to-machine clients by client ID. */
export async function listMachineClients(
  db: Queryable,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, MachineClient>> {
  const rows = await db.query<{ client_id: string; scopes: string[]; role: string }>(sql`
    select client_id, scopes, role from _plinth.oauth_machine_clients
    where client_id = any(${clientIds}::uuid[])`);
  return new Map(rows.map(({ client_id, scopes, role }) => [client_id, { scopes, role }]));
}

export async function storeMachineClient(
  db: Queryable,
  clientId: string,
  { scopes, role }: MachineClient,
): Promise<void> {
  await db.query(sql`
    insert into _plinth.oauth_machine_clients (client_id, scopes, role)
    values (${clientId}, ${scopes}::text[], ${role})
    on conflict (client_id) do update set scopes = excluded.scopes, role = excluded.role`);
}

export async function deleteMachineClient(db: Queryable, clientId: string): Promise<void> {
  await db.query(sql`delete from _plinth.oauth_machine_clients where client_id = ${clientId}`);
}

/**
 * Whether a client can have the role: API requests can switch to it, and neither the role itself nor a role of which it
 * is a member bypasses row-level security or manages the server.
 */
export async function isRoleForClients(db: Queryable, name: string): Promise<boolean> {
  const [row] = await db.query<{ fits: boolean }>(sql`
    select exists (
      select from pg_roles r
      where r.rolname = ${name} and r.rolname !~ '^(pg_|supabase_|plinth_)'
        and r.rolname not in ('authenticator', 'postgres', 'service_role', 'dashboard_user')
        and exists (select from pg_roles a where a.rolname = 'authenticator' and pg_has_role(a.oid, r.oid, 'member'))
        and not exists (
          select from pg_roles p
          where (p.rolsuper or p.rolbypassrls or p.rolcreaterole or p.rolcreatedb or p.rolreplication)
            and pg_has_role(r.oid, p.oid, 'member')
        )
    ) as fits`);
  return row?.fits === true;
}
