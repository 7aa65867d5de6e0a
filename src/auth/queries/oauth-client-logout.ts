/** Statements on _plinth.oauth_client_logout, and on the sessions of clients that are notified when a session ends. */
import type { Queryable } from '../../database/types.ts';
import { sql } from '../../kernel/sql.ts';
import type { ClientLogout } from '../core/oauth/client-logout.ts';

interface Row {
  readonly client_id: string;
  readonly post_logout_redirect_uris: string[];
  readonly backchannel_logout_uri: string | null;
}

/** Returns the sign-out metadata of the clients, by client ID. */
export async function listClientLogouts(
  db: Queryable,
  clientIds: readonly string[],
): Promise<ReadonlyMap<string, ClientLogout>> {
  const rows = await db.query<Row>(sql`
    select client_id, post_logout_redirect_uris, backchannel_logout_uri from _plinth.oauth_client_logout
    where client_id = any(${clientIds}::uuid[])`);
  return new Map(
    rows.map((row) => [
      row.client_id,
      { redirectUris: row.post_logout_redirect_uris, backchannelUri: row.backchannel_logout_uri },
    ]),
  );
}

export async function storeClientLogout(
  db: Queryable,
  clientId: string,
  { redirectUris, backchannelUri }: ClientLogout,
): Promise<void> {
  await db.query(sql`
    insert into _plinth.oauth_client_logout (client_id, post_logout_redirect_uris, backchannel_logout_uri)
    values (${clientId}, ${redirectUris}::text[], ${backchannelUri})
    on conflict (client_id) do update
    set post_logout_redirect_uris = excluded.post_logout_redirect_uris,
        backchannel_logout_uri = excluded.backchannel_logout_uri`);
}

/** A session of an OpenID client that is notified when the session ends. */
export interface NotifiedSession {
  readonly id: string;
  readonly client_id: string;
  readonly registration_type: 'manual' | 'dynamic';
  readonly uri: string;
}

export function listNotifiedSessions(db: Queryable, userId: string): Promise<NotifiedSession[]> {
  return db.query<NotifiedSession>(sql`
    select s.id, c.id as client_id, c.registration_type, l.backchannel_logout_uri as uri
    from auth.sessions s
    join auth.oauth_clients c on c.id = s.oauth_client_id and c.deleted_at is null
    join _plinth.oauth_client_logout l on l.client_id = c.id and l.backchannel_logout_uri is not null
    where s.user_id = ${userId} and 'openid' = any(string_to_array(s.scopes, ' '))
    order by row_number() over (partition by c.id order by s.created_at desc), s.id`);
}
