/**
 * Identifies a request's caller, so that the log contains the caller. Some services set the caller themselves. For the
 * other services, the caller is read from the token if this project signed the token.
 */
import type { Trace } from '../../base/kernel/trace.ts';
import type { Keys } from '../../platform/keys/types.ts';

/**
 * Identifies the caller after the response has been sent. The service has verified the token by then, so the result of
 * the verification is cached.
 */
export function identify(
  trace: Trace,
  authorization: string | undefined,
  keys: Pick<Keys, 'verifyOwn'>,
): void {
  const token = /^bearer (\S+)$/i.exec(authorization ?? '')?.[1];
  if (token === undefined || !token.includes('.')) return;
  const verified = keys.verifyOwn(token);
  if (!verified.ok) return;
  const { role, sub } = verified.claims;
  if (typeof role === 'string') trace.role = role;
  if (typeof sub === 'string') trace.userId = sub;
}
