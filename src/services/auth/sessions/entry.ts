/** Renders a session for the user's session list. */

import type { JsonObject } from '../common/json.ts';
import type { Session } from '../common/rows.ts';
import { toRfc3339 } from '../common/times.ts';
import type { SessionPlace } from './browser-queries.ts';

export function renderSessionEntry(session: Session, isCurrent: boolean): JsonObject {
  return {
    id: session.id,
    created_at: toRfc3339(session.created_at),
    refreshed_at: session.refreshed_at === null ? null : toRfc3339(session.refreshed_at),
    user_agent: session.user_agent,
    ip: session.ip,
    aal: session.aal ?? 'aal1',
    current: isCurrent,
  };
}

/** Renders the browser and the app of a session. `app` is null for the Account pages and for unknown apps. */
export function renderSessionPlace(place: SessionPlace | undefined): JsonObject {
  const { browser = null, app = null, client_name: name = null, client_uri: uri = null } = place ?? {};
  const isApp = app !== null || name !== null || uri !== null;
  return { browser, app: isApp ? { name, url: app ?? uri } : null };
}
