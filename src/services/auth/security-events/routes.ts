/**
 * Declares GET /user/security-events, which upstream doesn't have, for the timeline of the caller's account. Also
 * defines the operations of the Account pages that undo a change when a user opens the link in a security notice.
 */
import { deviceOf } from '../../../base/shared/account.ts';
import type { Call, Operation } from '../common/operation.ts';
import { toMs } from '../common/times.ts';
import type { Route } from '../http/route.ts';
import { limitByAddress } from '../limits/guards.ts';
import { requirePerson } from '../sessions/authenticate.ts';
import { renderEvent, type SecurityEvent } from './events.ts';
import { timeInWords } from './notify.ts';
import { listUserEvents } from './record.ts';
import { previewReversal, type Reversed, reverseEvent } from './reversals.ts';
import { checkUnlock, unlockAccount } from './unlock.ts';

export function securityEventRoutes(route: Route): void {
  route({
    on: 'GET /user/security-events',
    async run(ctx, { caller, query }) {
      const { user } = await requirePerson(ctx, caller);
      const limit = query.get('limit');
      const { events, next } = await listUserEvents(ctx, user.id, {
        before: query.get('before') ?? undefined,
        ...(limit === null ? {} : { limit: Number(limit) }),
      });
      caller.setHeader('cache-control', 'no-store');
      return { events: events.map(renderEvent), next };
    },
  });
}

/** A change, as described on the page that the link in a security notice opens. */
export interface ChangeFacts {
  /**
   * The event's kind, `new_device` for a sign-in on a new device, or `password_set` for an account's first password.
   */
  readonly kind: string;
  readonly when: string;
  readonly device: { readonly browser: string; readonly system: string } | undefined;
}

/** Describes what the link in a security notice would undo. */
export interface ReversalFacts extends ChangeFacts {
  readonly email: string;
  readonly later: readonly ChangeFacts[];
  /** The time at which the account was secured. Set if the link no longer has any effect. */
  readonly secured: string | undefined;
}

export interface ReversalCall extends Call {
  readonly token: string;
}

/**
 * Returns `locked` if the link can unlock the account, or `unlocked` if the account is already unlocked. Rejects with
 * `otp_expired`.
 */
export const readUnlock: Operation<ReversalCall, 'locked' | 'unlocked'> = {
  on: 'GET /user/security-events',
  guards: [limitByAddress('verify')],
  run: (ctx, { token }) => checkUnlock(ctx, token),
};

export const useUnlock: Operation<ReversalCall, void> = {
  on: 'POST /user/security-events',
  guards: [limitByAddress('verify')],
  run: (ctx, { caller, token }) => unlockAccount(ctx, caller, token),
};

/** Describes what a link would undo, with times formatted in the page's language. */
export const readReversal: Operation<ReversalCall, ReversalFacts> = {
  on: 'GET /user/security-events',
  guards: [limitByAddress('verify')],
  async run(ctx, { caller, token }) {
    const { event, email, later, securedAt } = await previewReversal(ctx, token);
    const inWords = (time: string): string => timeInWords(toMs(time), caller.pageLanguage);
    return {
      kind: kindOf(event),
      when: inWords(event.created_at),
      email,
      device: deviceOf(event.user_agent ?? ''),
      later: later.map((change) => ({
        kind: kindOf(change),
        when: inWords(change.created_at),
        device: deviceOf(change.user_agent ?? ''),
      })),
      secured: securedAt === undefined ? undefined : inWords(securedAt),
    };
  },
};

function kindOf({ kind, details }: SecurityEvent): string {
  if (details.new_device === true) return 'new_device';
  return kind === 'password_changed' && details.first === true ? 'password_set' : kind;
}

export const useReversal: Operation<ReversalCall, Reversed> = {
  on: 'POST /user/security-events',
  guards: [limitByAddress('verify')],
  run: (ctx, { caller, token }) => reverseEvent(ctx, caller, token),
};
