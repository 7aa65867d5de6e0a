/** Clients that leave while their body is on its way: it happens every day, and is no failure of ours. */
import type { IncomingMessage } from 'node:http';
import { StorageError } from './errors.ts';

/** `error` as RequestAborted when it is what the body itself ended with. */
export function nameAbort(raw: IncomingMessage, error: unknown): unknown {
  if (raw.errored === null || error !== raw.errored) return error;
  return new StorageError('RequestAborted', undefined, { cause: error });
}
