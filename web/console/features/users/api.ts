/** What only the users page reads. */
import { queryOptions } from '@tanstack/react-query';
import { userQuery } from '../../api/queries.ts';
import { callConsole } from '../../api/session.ts';

export interface UserSession {
  readonly id: string;
  readonly created_at: string;
  readonly refreshed_at: string | null;
  readonly user_agent: string | null;
  readonly ip: string | null;
  readonly aal: string;
}

export const sessionsQuery = (userId: string) =>
  queryOptions({
    // Below the user's key: whatever changes the user may have ended sessions.
    queryKey: [...userQuery(userId).queryKey, 'sessions'],
    queryFn: async ({ signal }) =>
      (await callConsole<{ sessions: readonly UserSession[] }>(`/users/${userId}/sessions`, { signal }))
        .sessions,
    retry: false,
  });

export interface Impersonation {
  readonly accessToken: string;
  /** ISO 8601 */
  readonly expiresAt: string;
  readonly url: string;
  readonly publishableKey: string;
}
