/** Renders a session for its user's session list. */
import type { Session } from '../rows.ts';
import type { JsonObject } from './json.ts';
import { toRfc3339 } from './times.ts';

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
