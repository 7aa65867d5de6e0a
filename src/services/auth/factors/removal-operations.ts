/** Implements the request to remove lost second factors, its confirmation and its cancellation. */

import type { Call, Operation } from '../common/operation.ts';
import { limitByAddress } from '../limits/limit-by-address.ts';
import { timeInWords } from '../security-events/notify.ts';
import { requirePermanentUser } from '../sessions/authenticate.ts';
import { sweepFactorRemovals } from './removal-rounds.ts';
import {
  cancelOwnRemoval,
  confirmFactorRemoval,
  previewRemoval,
  type RemovalState,
  readRemoval,
  requestRemoval,
} from './removals.ts';

export interface RemovalCall extends Call {
  readonly token: string;
}

/** The details shown on the page where the user confirms a request. */
export interface RemovalFacts {
  readonly email: string;
  /** The time at which the factors will be removed, formatted in the page's language. */
  readonly when: string;
  readonly isConfirmed: boolean;
}

export const readOwnRemoval: Operation<Call, RemovalState> = {
  guards: [],
  async run(ctx, { caller }) {
    const removal = await readRemoval(ctx, await requirePermanentUser(ctx, caller));
    // If the user's request is due, processes it now, so that the user doesn't have to wait for the background task,
    // which runs only every few minutes.
    if (removal.dueMs !== undefined && removal.dueMs <= ctx.clock.now()) await sweepFactorRemovals(ctx);
    return removal;
  },
};

export const requestOwnRemoval: Operation<Call, void> = {
  guards: [limitByAddress('factor_verify')],
  run: async (ctx, { caller }) => requestRemoval(ctx, await requirePermanentUser(ctx, caller)),
};

export const cancelRemovalRequest: Operation<Call, void> = {
  guards: [],
  run: async (ctx, { caller }) => cancelOwnRemoval(ctx, await requirePermanentUser(ctx, caller)),
};

export const readRemovalLink: Operation<RemovalCall, RemovalFacts> = {
  guards: [limitByAddress('verify')],
  async run(ctx, { caller, token }) {
    const { email, dueMs, isConfirmed } = await previewRemoval(ctx, token);
    return { email, when: timeInWords(dueMs, caller.pageLanguage), isConfirmed };
  },
};

export const confirmRemovalLink: Operation<RemovalCall, void> = {
  guards: [limitByAddress('verify')],
  run: (ctx, { caller, token }) => confirmFactorRemoval(ctx, caller, token),
};
