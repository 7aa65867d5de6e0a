/** Reports calls between services in this process like requests from clients. */
import type { InternalCall, Observe } from '../../base/kernel/service.ts';
import { type RequestRecord, Trace, traces } from '../../base/kernel/trace.ts';
import type { Keys } from '../../platform/keys/types.ts';

export function createObserver(
  keys: Pick<Keys, 'verifyOwn'>,
  onRequestEnd: (record: RequestRecord) => void,
): Observe {
  return async (call, work) => {
    const trace = new Trace(call.requestId, performance.now());
    let { status } = call;
    try {
      return await traces.run(trace, work);
    } catch (error) {
      status = statusOf(error);
      throw error;
    } finally {
      report(call, trace, status);
    }
  };

  function report(call: InternalCall, trace: Trace, status: number): void {
    const { requestId, service, method, path, ip, userAgent, accessToken } = call;
    if (status !== 401) identify(trace, `Bearer ${accessToken}`, keys);
    onRequestEnd({
      at: Date.now(),
      requestId,
      service,
      method,
      url: path,
      status,
      durationMs: performance.now() - trace.startedAt,
      ip,
      userAgent,
      trace,
    });
  }
}

function statusOf(error: unknown): number {
  const { status } = (error ?? {}) as { status?: unknown };
  return typeof status === 'number' ? status : 500;
}

/**
 * Identifies a request's caller, so that the log contains the caller. Some services set the caller themselves. For the
 * other services, the caller is read from the token if this project signed the token.
 *
 * Called after the response has been sent. The service has verified the token by then, so the result of
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
