/** Requests, confirms and cancels the removal of lost second factors. */
import { sweepFactorRemovals } from '../factor-removal-rounds.ts';
import { requirePermanentUser } from '../flows/authenticate.ts';
import {
  cancelOwnRemoval,
  confirmFactorRemoval,
  previewRemoval,
  type RemovalState,
  readRemoval,
  requestRemoval,
} from '../flows/factor-removals.ts';
import { timeInWords } from '../flows/notify.ts';
import { limitByAddress } from './limit-by-address.ts';
import type { Call, Operation } from './operation.ts';

export interface RemovalCall extends Call {
  readonly token: string;
}

/** The details shown on the page that confirms a request. */
export interface RemovalFacts {
  readonly email: string;
  /** When the factors will be removed, in the page's language. */
  readonly when: string;
  readonly isConfirmed: boolean;
}

export const readOwnRemoval: Operation<Call, RemovalState> = {
  guards: [],
  async run(ctx, { caller }) {
    const removal = await readRemoval(ctx, await requirePermanentUser(ctx, caller));
    // Processes a due request now, so that this user doesn't have to wait for the background task, which runs every few
    // minutes.
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
