/** Who asked, for the log: services that know have said so; of the others the token tells, if it is ours. */
import type { Trace } from '../kernel/trace.ts';
import type { Keys } from '../keys/types.ts';

/** After the answer: the service has judged the token, and its verification is remembered. */
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
