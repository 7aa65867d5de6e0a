/** Undoes changes with the links in security notices. */

import { toMs } from '../core/times.ts';
import {
  previewReversal,
  type ReversalPreview,
  type Reversed,
  reverseEvent,
} from '../flows/event-reversals.ts';
import { timeInWords } from '../flows/notify.ts';
import { checkUnlock, unlockAccount } from '../flows/unlock.ts';
import { limitByAddress } from './limit-by-address.ts';
import type { Call, Operation } from './operation.ts';

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

/** Returns what a link undoes, with the time in the language of the page. */
export const readReversal: Operation<ReversalCall, ReversalPreview & { readonly when: string }> = {
  guards: [limitByAddress('verify')],
  async run(ctx, { caller, token }) {
    const preview = await previewReversal(ctx, token);
    return { ...preview, when: timeInWords(toMs(preview.event.created_at), caller.pageLanguage) };
  },
};

export const useReversal: Operation<ReversalCall, Reversed> = {
  guards: [limitByAddress('verify')],
  run: (ctx, { caller, token }) => reverseEvent(ctx, caller, token),
};
