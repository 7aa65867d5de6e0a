/**
 * The usual refresh: an active token of the first form, a session that nothing is wrong with, nobody else at it. Two round
 * trips do it, and refreshes that come at once share them: what a refresh costs PostgreSQL is to a good part the commit.
 * It refuses nothing by itself; whatever is not usual is left to the long way of `flows/refresh-session.ts`.
 */
import type { Pool } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import { createBatcher } from './batcher.ts';
import { checkSession, sessionTimes } from './core/refresh.ts';
import { isBanned } from './core/render-user.ts';
import { refreshTokenText } from './core/secrets.ts';
import { fromMs, toMs } from './core/times.ts';
import { auditPayload } from './flows/audit.ts';
import {
  type ActiveRefresh,
  activeRefreshes,
  type RefreshedSession,
  readActiveRefresh,
  rotationSettings,
  type TokenRotation,
  tokenRotations,
} from './queries/refresh-batch.ts';
import type { User } from './rows.ts';
import type { Settings } from './settings.ts';

/** Members of one transaction; each holds a few locks until all are written. */
const maxBatchSize = 16;
/** More than a commit takes; a trigger of the project can take any time. */
const slowAfterMs = 25;
const maxConcurrent = 4;

export interface RotationRequest {
  readonly token: string;
  readonly userAgent: string;
  readonly ip: string;
  /** Of the request. */
  readonly signal: AbortSignal | undefined;
}

export interface RotatedToken {
  readonly user: User;
  readonly session: RefreshedSession;
  /** The active token from now on. */
  readonly child: string;
}

/** Undefined: nothing has happened, or nobody knows. */
export type RotateToken = (request: RotationRequest) => Promise<RotatedToken | undefined>;

export function createTokenRotation(pool: Pool, settings: Settings, clock: Clock): RotateToken {
  const rotateAll = (requests: readonly RotationRequest[]) =>
    pool.transaction(
      async (tx, rows) => {
        const now = fromMs(clock.now());
        const found = new Map(
          rows[0]?.map((row) => readActiveRefresh(row)).map((each) => [each.place, each]),
        );
        const rotations = requests.map((request, index) => {
          // Asked for twice at once, a token is no more usual than one that somebody else holds.
          const isFirst = requests.findIndex(({ token }) => token === request.token) === index;
          const active = isFirst ? found.get(index + 1) : undefined;
          return active && isUsual(active, settings, clock.now())
            ? rotationOf(active, request, now)
            : undefined;
        });
        const made = rotations.filter((rotation) => rotation !== undefined);
        await tx.finish(made.length === 0 ? [] : tokenRotations(made, now));
        return rotations.map(
          (rotation) => rotation && { user: rotation.user, session: rotation.session, child: rotation.child },
        );
      },
      // The first has waited longest.
      {
        settings: rotationSettings,
        first: [activeRefreshes(requests.map(({ token }) => token))],
        signal: requests[0]?.signal,
      },
    );
  const ask = createBatcher<RotationRequest, RotatedToken | undefined>({
    work: rotateAll,
    maxBatchSize,
    slowAfterMs,
    maxConcurrent,
  });
  // Whoever is not to blame for what went wrong succeeds on the long way.
  return (request) => ask(request).catch(() => undefined);
}

/** Sessions of our OAuth server's clients are none of it: their client has to be shown. */
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
