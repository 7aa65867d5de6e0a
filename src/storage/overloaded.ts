/** The responses to requests that are rejected because the server is overloaded, per protocol. */
import type { OverloadBody } from '../kernel/service.ts';
import { renderStorageError, StorageError } from './errors.ts';
import { renderS3Error } from './s3/errors.ts';

const error = new StorageError('Overloaded');

const json: OverloadBody = {
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(renderStorageError(error).body),
};
const xml: OverloadBody = { type: 'application/xml; charset=utf-8', text: renderS3Error(error, '', '').xml };
const text: OverloadBody = { type: 'text/plain; charset=utf-8', text: error.message };

const s3Path = /^\/storage\/v1\/s3(?:\/|$)/;
const resumablePath = /^\/storage\/v1\/upload\/resumable(?:\/|$)/;

export function overloaded(path: string): OverloadBody {
  if (s3Path.test(path)) return xml;
  return resumablePath.test(path) ? text : json;
}
