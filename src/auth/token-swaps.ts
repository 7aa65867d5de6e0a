/**
 * The usual refresh: an active token of the first form, a session that nothing is wrong with, nobody else at it. Two round
 * trips do it, and refreshes that come at once share them: what a refresh costs PostgreSQL is to a good part the commit.
 * It refuses nothing by itself; whatever is not usual is left to the long way of `flows/refresh-session.ts`.
 */
import type { Pool } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import { judgeSession, sessionTimes } from './core/refresh.ts';
import { isBanned } from './core/render-user.ts';
import { refreshTokenText } from './core/secrets.ts';
import { fromMs, toMs } from './core/times.ts';
import { auditPayload } from './flows/audit.ts';
import { createGathering } from './gathering.ts';
import {
  type ActiveRefresh,
  activeRefreshes,
  type RefreshedSession,
  readActiveRefresh,
  swapSettings,
  type TokenSwap,
  tokenSwaps,
} from './queries/refresh-at-once.ts';
import type { User } from './rows.ts';
import type { Settings } from './settings.ts';

/** Members of one transaction; each holds a few locks until all are written. */
const mostAtOnce = 16;
/** More than a commit takes; a trigger of the project can take any time. */
const patienceMs = 25;
const lanes = 4;

export interface SwapRequest {
  readonly token: string;
  readonly userAgent: string;
  readonly ip: string;
  /** Of the request. */
  readonly signal: AbortSignal | undefined;
}

export interface Swapped {
  readonly user: User;
  readonly session: RefreshedSession;
  /** The active token from now on. */
  readonly child: string;
}

/** Undefined: nothing has happened, or nobody knows. */
export type SwapToken = (request: SwapRequest) => Promise<Swapped | undefined>;

export function createTokenSwaps(pool: Pool, settings: Settings, clock: Clock): SwapToken {
  const swapAll = (requests: readonly SwapRequest[]) =>
    pool.transaction(
      async (tx, rows) => {
        const now = fromMs(clock.now());
        const found = new Map(
          rows[0]?.map((row) => readActiveRefresh(row)).map((each) => [each.place, each]),
        );
        const swaps = requests.map((request, index) => {
          // Asked for twice at once, a token is no more usual than one that somebody else holds.
          const isFirst = requests.findIndex(({ token }) => token === request.token) === index;
          const active = isFirst ? found.get(index + 1) : undefined;
          return active && isUsual(active, settings, clock.now()) ? swapOf(active, request, now) : undefined;
        });
        const made = swaps.filter((swap) => swap !== undefined);
        await tx.finish(made.length === 0 ? [] : tokenSwaps(made, now));
        return swaps.map((swap) => swap && { user: swap.user, session: swap.session, child: swap.child });
      },
      // The first has waited longest.
      {
        settings: swapSettings,
        first: [activeRefreshes(requests.map(({ token }) => token))],
        signal: requests[0]?.signal,
      },
    );
  const ask = createGathering<SwapRequest, Swapped | undefined>({
    work: swapAll,
    most: mostAtOnce,
    patienceMs,
    lanes,
  });
  // Whoever is not to blame for what went wrong succeeds on the long way.
  return (request) => ask(request).catch(() => undefined);
}

/** Sessions of our OAuth server's clients are none of it: their client has to be shown. */
function isUsual({ user, session, tokenUpdatedAt }: ActiveRefresh, settings: Settings, nowMs: number) {
  if (session.oauth_client_id !== null) return false;
  const validity = judgeSession(sessionTimes(session), toMs(tokenUpdatedAt), settings.sessions, nowMs);
  return validity === 'valid' && !isBanned(user, nowMs);
}

function swapOf({ user, session, tokenId }: ActiveRefresh, request: SwapRequest, now: string): TokenSwap {
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
