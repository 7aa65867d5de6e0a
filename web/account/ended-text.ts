import type { SessionState } from '../lib/session/index.ts';
import { endedBecause, type User } from './session.ts';
import { t } from './text.ts';

/** Returns why this browser was signed out. Returns undefined if it never had a session or the user left it here. */
export function endedText(state: SessionState<User>): string | undefined {
  if (state.status !== 'signed-out' || state.reason === 'left') return undefined;
  const ending = endedBecause() ?? (state.reason === 'ended' ? 'other' : undefined);
  return ending && t(`ended.${ending}`);
}
