/** The 503 response to a request that is rejected because the server is overloaded. */
import { randomInt } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Mount, OverloadBody } from '../../base/kernel/service.ts';
import { isAtOrBelow } from './find-mount.ts';
import { requestIdOf } from './request-id.ts';

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
