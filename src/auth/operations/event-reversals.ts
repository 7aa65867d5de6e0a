/** Undoes changes with the links in security notices. */

import { deviceOf } from '../../shared/device.ts';
import { toMs } from '../core/times.ts';
import { previewReversal, type Reversed, reverseEvent } from '../flows/event-reversals.ts';
import { timeInWords } from '../flows/notify.ts';
import { checkUnlock, unlockAccount } from '../flows/unlock.ts';
import { limitByAddress } from './limit-by-address.ts';
import type { Call, Operation } from './operation.ts';

/** A change as the page describes it. */
export interface ChangeFacts {
  readonly kind: string;
  readonly when: string;
  readonly device: { readonly browser: string; readonly system: string } | undefined;
}

/** What the link in a security notice undoes. */
export interface ReversalFacts extends ChangeFacts {
  readonly email: string;
  readonly later: readonly ChangeFacts[];
  /** When the account was secured, if the link has no effect anymore. */
  readonly secured: string | undefined;
}

export interface ReversalCall extends Call {
  readonly token: string;
}

/** Rejects a link that can't unlock an account. */
export const readUnlock: Operation<ReversalCall, void> = {
  guards: [limitByAddress('verify')],
  run: (ctx, { token }) => checkUnlock(ctx, token),
};

export const useUnlock: Operation<ReversalCall, void> = {
  guards: [limitByAddress('verify')],
  run: (ctx, { caller, token }) => unlockAccount(ctx, caller, token),
};

/** Returns what a link undoes, with the times in the language of the page. */
export const readReversal: Operation<ReversalCall, ReversalFacts> = {
  guards: [limitByAddress('verify')],
  async run(ctx, { caller, token }) {
    const { event, email, later, securedAt } = await previewReversal(ctx, token);
    const inWords = (time: string): string => timeInWords(toMs(time), caller.pageLanguage);
    return {
      kind: event.details.new_device === true ? 'new_device' : event.kind,
      when: inWords(event.created_at),
      email,
      device: deviceOf(event.user_agent ?? ''),
      later: later.map(({ kind, created_at, user_agent }) => ({
        kind,
        when: inWords(created_at),
        device: deviceOf(user_agent ?? ''),
      })),
      secured: securedAt === undefined ? undefined : inWords(securedAt),
    };
  },
};

export const useReversal: Operation<ReversalCall, Reversed> = {
  guards: [limitByAddress('verify')],
  run: (ctx, { caller, token }) => reverseEvent(ctx, caller, token),
};
