import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const acceptable = /^[A-Za-z0-9._:-]{8,128}$/;

/**
 * Returns the caller's `x-request-id` if it is plain text of a reasonable length, so that it is safe to log. Returns a
 * new ID if the caller sent no acceptable ID.
 */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
}
