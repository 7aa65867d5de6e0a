import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const acceptable = /^[A-Za-z0-9._:-]{8,128}$/;

/** The caller's `x-request-id` when it is plain text of a sane length, so that it can go into logs as it is; else a new one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && acceptable.test(given) ? given : randomUUID();
}
