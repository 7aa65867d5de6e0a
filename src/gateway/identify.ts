/** Identifies the caller for the log. Some services set it. For others, the token is used if it is ours. */
import type { Trace } from '../kernel/trace.ts';
import type { Keys } from '../keys/types.ts';

/** Runs after the response: the service has verified the token, so the result is cached. */
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
