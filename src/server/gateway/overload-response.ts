/** The 503 response to a request that is rejected because the server is overloaded. */
import { randomInt, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Mount, OverloadBody } from '../../base/kernel/service.ts';
import { isAtOrBelow } from './paths.ts';

export const overloadStatus = 503;

const defaultBody: OverloadBody = {
  type: 'application/json; charset=utf-8',
  text: JSON.stringify({
    code: 'overloaded',
    message: 'The server is receiving too many requests. Try again in a moment.',
  }),
};

/** Returns the response body in the error format of the mount's service. */
export const overloadBody = (mount: Pick<Mount, 'overloaded'> | undefined, path: string): OverloadBody =>
  mount?.overloaded?.find(({ below }) => below === undefined || isAtOrBelow(path, below)) ?? defaultBody;

/** Returns the names and values of the response's headers. Web pages of any origin can read the response. */
export function overloadHead(
  request: Pick<IncomingMessage, 'headers'>,
  { type, text }: OverloadBody,
  waitMs: number,
): string[] {
  return [
    ...['content-type', type],
    ...['content-length', String(Buffer.byteLength(text))],
    ...['retry-after', String(retryAfterSeconds(waitMs))],
    ...['cache-control', 'no-store'],
    ...['access-control-allow-origin', '*'],
    ...['access-control-expose-headers', 'retry-after'],
    ...['x-request-id', requestIdOf(request.headers)],
  ];
}

/**
 * Adds a random duration, so that clients whose requests were rejected at the same time don't retry at the same time.
 */
const retryAfterSeconds = (waitMs: number): number => Math.max(1, Math.ceil(waitMs / 1000)) + randomInt(2);

const acceptable = /^[A-Za-z0-9._:-]{8,128}$/;

/**
 * Returns the caller's `x-request-id` if it is plain text of a reasonable length, so that it is safe to log. Returns a
 * new ID if the caller sent no acceptable ID.
 */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
}
