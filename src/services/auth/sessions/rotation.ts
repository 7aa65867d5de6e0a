/**
 * Refreshes tokens in batches. A batch requires only two round trips and one commit, which saves time because commits
 * are a large part of a refresh's cost. Handles only the common case, in which the token is an active version 1 token,
 * its session is valid, and no other request is using either. Never rejects a refresh, because
 * `sessions/refresh.ts` handles all other requests.
 */

import type { Clock } from '../../../base/kernel/clock.ts';
import type { Pool } from '../../../platform/database/types.ts';
import { auditPayload } from '../common/audit.ts';
import { isBanned } from '../common/render-user.ts';
import type { User } from '../common/rows.ts';
import { refreshTokenText } from '../common/secrets.ts';
import { fromMs, toMs } from '../common/times.ts';
import type { Settings } from '../settings.ts';
import { createBatcher } from './batcher.ts';
import {
  type ActiveRefresh,
  activeRefreshes,
  type RefreshedSession,
  readActiveRefresh,
  rotationSettings,
  type TokenRotation,
  tokenRotations,
} from './refresh-batch-queries.ts';
import { checkSession, sessionTimes } from './refresh-rules.ts';

/** The maximum number of refreshes per transaction. Each refresh holds several locks until all rows are written. */
const maxBatchSize = 16;
/**
 * The duration above which a batch counts as slow. A normal commit is faster, but a project's trigger may take any
 * amount of time.
 */
const slowAfterMs = 25;
const maxConcurrent = 4;

export interface RotationRequest {
  readonly token: string;
  readonly userAgent: string;
  readonly ip: string;
  /** The signal is aborted when the request exceeds its time limit. */
  readonly signal: AbortSignal | undefined;
}

export interface RotatedToken {
  readonly user: User;
  readonly session: RefreshedSession;
  /** The new active token's text. */
  readonly child: string;
}

/** Rotates a refresh token. Resolves with undefined if nothing was changed or the outcome is unknown. */
export type RotateToken = (request: RotationRequest) => Promise<RotatedToken | undefined>;

/**
 * Creates the batched rotation.
 *
 * @param settings returns the current settings
 */
export function createTokenRotation(pool: Pool, settings: () => Settings, clock: Clock): RotateToken {
  const rotateAll = (requests: readonly RotationRequest[]) =>
    pool.transaction(
      async (tx, rows) => {
        const now = fromMs(clock.now());
        const found = new Map(
          rows[0]?.map((row) => readActiveRefresh(row)).map((each) => [each.place, each]),
        );
        const rotations = requests.map((request, index) => {
          // Tokens that occur more than once in a batch, and tokens that another request has locked, use the fallback.
          const isFirst = requests.findIndex(({ token }) => token === request.token) === index;
          const active = isFirst ? found.get(index + 1) : undefined;
          return active && isUsual(active, settings(), clock.now())
            ? rotationOf(active, request, now)
            : undefined;
        });
        const made = rotations.filter((rotation) => rotation !== undefined);
        await tx.finish(made.length === 0 ? [] : tokenRotations(made, now));
        return rotations.map(
          (rotation) => rotation && { user: rotation.user, session: rotation.session, child: rotation.child },
        );
      },
      // The first request in the batch has waited the longest, so this request's deadline applies to the whole batch.
      {
        settings: rotationSettings,
        first: [activeRefreshes(requests.map(({ token }) => token))],
        signal: requests[0]?.signal,
      },
    );
  const enqueue = createBatcher<RotationRequest, RotatedToken | undefined>({
    work: rotateAll,
    maxBatchSize,
    slowAfterMs,
    maxConcurrent,
  });
  // If a batch fails, all its requests use the fallback, in which only the request that caused the error fails.
  return (request) => enqueue(request).catch(() => undefined);
}

/**
 * Whether the refresh can be part of a batch. Refreshes by OAuth clients can't be part of a batch, because OAuth
 * clients must authenticate.
 */
function isUsual({ user, session, tokenUpdatedAt }: ActiveRefresh, settings: Settings, nowMs: number) {
  if (session.oauth_client_id !== null) return false;
  const validity = checkSession(sessionTimes(session), toMs(tokenUpdatedAt), settings.sessions, nowMs);
  return validity === 'valid' && !isBanned(user, nowMs);
}

function rotationOf(
  { user, session, tokenId }: ActiveRefresh,
  request: RotationRequest,
  now: string,
): TokenRotation {
  user.last_sign_in_at ??= now;
  user.updated_at = now;
  return {
    user,
    session,
    tokenId,
    token: request.token,
    child: refreshTokenText(),
    userAgent: request.userAgent,
    ip: request.ip,
    entries: [auditPayload(user, 'token_refreshed'), auditPayload(user, 'token_revoked')],
  };
}
