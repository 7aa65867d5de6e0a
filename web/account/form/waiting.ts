/**
 * Waits until the link in the email is confirmed on another device. The server then signs in the user in this window.
 */
import type { SessionState } from '../../lib/session/index.ts';
import { type Made, type PasswordPage, post } from '../account-api.ts';
import { sessionClient, type User } from '../session.ts';

interface WaitResult extends Partial<Made> {
  readonly state: 'none' | 'waiting' | 'confirmed' | 'canceled';
  readonly type?: string;
  readonly page?: PasswordPage;
}

/** The delay between two requests, which grows from the first of these values to the second. */
const [firstDelayMs, longestDelayMs] = [1500, 15_000];
const growth = 1.25;

/**
 * Polls the server until the link is confirmed, and then calls `onConfirmed` once. Polls immediately when the user
 * returns to this window. Returns the final state.
 */
export async function waitForLink(
  signal: AbortSignal,
  onConfirmed: (state: SessionState<User>, page: PasswordPage | undefined) => Promise<void>,
): Promise<WaitResult['state'] | undefined> {
  for (let delayMs = firstDelayMs; !signal.aborted; delayMs = Math.min(delayMs * growth, longestDelayMs)) {
    await pause(delayMs, signal);
    if (signal.aborted) return undefined;
    const { state, type, page } = await post<WaitResult>('wait', {}).catch(
      (): WaitResult => ({ state: 'waiting' }),
    );
    if (state === 'waiting') continue;
    if (state === 'confirmed') {
      await onConfirmed(
        await sessionClient().changed(type === 'recovery' ? 'PASSWORD_RECOVERY' : 'SIGNED_IN'),
        page,
      );
    }
    return state;
  }
  return undefined;
}

/** Resolves after the delay, when the user returns to the window, or when waiting is aborted. */
function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('focus', done);
      document.removeEventListener('visibilitychange', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, delayMs);
    window.addEventListener('focus', done);
    document.addEventListener('visibilitychange', done);
    signal.addEventListener('abort', done);
  });
}
