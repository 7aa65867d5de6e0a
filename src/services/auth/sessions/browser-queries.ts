/** Statements on _plinth.session_browsers, which stores each session's browser and app. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import { fromMs } from '../common/times.ts';

/** A session's browser and app. */
export interface SessionPlace {
  readonly session_id: string;
  /** An ID that is the same for all sessions in a browser. Null if the browser is unknown. */
  readonly browser: string | null;
  /** The origin of the app for which the session was created. */
  readonly app: string | null;
  readonly client_name: string | null;
  readonly client_uri: string | null;
}

export async function insertSessionBrowser(
  db: Queryable,
  row: { readonly sessionId: string; readonly userId: string; readonly browser: string },
  nowMs: number,
): Promise<void> {
  await db.query(sql`
    insert into _plinth.session_browsers (session_id, user_id, browser, created_at)
    values (${row.sessionId}, ${row.userId}, ${row.browser}, ${fromMs(nowMs)})`);
}

/** Assigns an app's session to the same browser as the session from which it was created, if this browser is known. */
export async function inheritBrowser(
  db: Queryable,
  row: { readonly sessionId: string; readonly originId: string; readonly app: string | null },
  nowMs: number,
): Promise<void> {
  await db.query(sql`
    insert into _plinth.session_browsers (session_id, user_id, browser, app, created_at)
    select ${row.sessionId}, user_id, browser, ${row.app}, ${fromMs(nowMs)}
    from _plinth.session_browsers where session_id = ${row.originId}
    on conflict (session_id) do update set browser = excluded.browser, app = excluded.app`);
}

export function listSessionPlaces(db: Queryable, userId: string): Promise<SessionPlace[]> {
  return db.query<SessionPlace>(sql`
    select s.id as session_id, b.browser, b.app, c.client_name, c.client_uri
    from auth.sessions s
    left join _plinth.session_browsers b on b.session_id = s.id and b.user_id = s.user_id
    left join auth.oauth_clients c on c.id = s.oauth_client_id
    where s.user_id = ${userId}`);
}

/** Returns the IDs of all sessions of the user in the given session's browser, including the given session. */
export async function listBrowserSessions(
  db: Queryable,
  session: { readonly id: string; readonly user_id: string },
): Promise<string[]> {
  const rows = await db.query<{ session_id: string }>(sql`
    select b.session_id from _plinth.session_browsers b
    join _plinth.session_browsers own on own.user_id = b.user_id and own.browser = b.browser
    where own.session_id = ${session.id} and own.user_id = ${session.user_id}`);
  return [...new Set([session.id, ...rows.map(({ session_id }) => session_id)])];
}

/** Deletes a batch of rows whose sessions have ended. Returns the number of deleted rows. */
export async function deleteOrphanedSessionBrowsers(
  db: Queryable,
  createdBeforeMs: number,
  limit: number,
): Promise<number> {
  const rows = await db.query(sql`
    delete from _plinth.session_browsers where session_id in (
      select b.session_id from _plinth.session_browsers b
      where b.created_at < ${fromMs(createdBeforeMs)}
        and not exists (select from auth.sessions s where s.id = b.session_id)
      limit ${limit})
    returning 1 as gone`);
  return rows.length;
}
