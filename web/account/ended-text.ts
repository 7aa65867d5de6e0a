import type { SessionState } from '../lib/session/index.ts';
import { endedBecause, type User } from './session.ts';
import { t } from './text.ts';

/**
 * Returns why this browser was signed out. Returns undefined if this browser never had a session, or if the user signed
 * out in this tab.
 */
export function endedText(state: SessionState<User>): string | undefined {
  if (state.status !== 'signed-out' || state.reason === 'left') return undefined;
  const ending = endedBecause() ?? (state.reason === 'ended' ? 'other' : undefined);
  return ending && t(`ended.${ending}`);
}
