/**
 * Recognizes uploads that failed because the client disconnected. These failures are common and aren't server errors.
 */
import type { IncomingMessage } from 'node:http';
import { StorageError } from './errors.ts';

/**
 * Converts `error` to RequestAborted if the disconnection of the client caused it. Returns any other error unchanged.
 */
export function nameAbort(raw: IncomingMessage, error: unknown): unknown {
  if (raw.errored === null || error !== raw.errored) return error;
  return new StorageError('RequestAborted', undefined, { cause: error });
}
