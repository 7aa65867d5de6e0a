/** The responses to requests that are rejected because the server is overloaded, per protocol. */
import type { OverloadBody } from '../../base/kernel/service.ts';
import { renderStorageError, StorageError } from './errors.ts';
import { renderS3Error } from './s3/errors.ts';

const error = new StorageError('Overloaded');

const json: OverloadBody = {
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(renderStorageError(error).body),
};
const xml: OverloadBody = {
  below: '/storage/v1/s3',
  type: 'application/xml; charset=utf-8',
  text: renderS3Error(error, '', '').xml,
};
const text: OverloadBody = {
  below: '/storage/v1/upload/resumable',
  type: 'text/plain; charset=utf-8',
  text: error.message,
};

export const overloaded: readonly OverloadBody[] = [xml, text, json];
