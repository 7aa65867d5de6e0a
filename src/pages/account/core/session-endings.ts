/** Determines why a session has ended, if the browser still has the cookie of the session. */
import type { AuthRejection } from '../../../base/shared/errors.ts';
import type { Ending } from '../types.ts';

const endings: readonly Ending[] = [
  'password_changed',
  'secured',
  'factors_reset',
  'elsewhere',
  'support',
  'inactive',
  'expired',
  'replaced',
  'other',
];

export const parseEnding = (text: string | undefined): Ending | undefined =>
  endings.find((ending) => ending === text);

/**
 * Returns the session limit named in an error from the auth service. Reads the limit from the error message, because
 * GoTrue's error code is the same for all limits.
 */
export function limitOf({ code, message }: AuthRejection): Ending | undefined {
  if (code !== 'session_expired') return undefined;
  if (message.includes('(Inactivity)')) return 'inactive';
  return message.includes('(Revoked by Newer Login)') ? 'replaced' : 'expired';
}
