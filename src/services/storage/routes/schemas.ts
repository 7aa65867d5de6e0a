/** Defines the schema parts that several routes share. Error messages come from the validator, as in upstream. */

import { formats, gravities, resizeModes } from '../core/transform.ts';

/**
 * The schema for routes that require a token. The routes check whether the header exists before they verify the token.
 */
export const authorizationHeader = {
  type: 'object',
  properties: { authorization: { type: 'string' } },
  required: ['authorization'],
} as const;

export const downloadQuery = {
  type: 'object',
  properties: { download: { type: 'string' } },
} as const;

export const transformSchema = {
  type: 'object',
  properties: {
    height: { type: 'integer', minimum: 0 },
    width: { type: 'integer', minimum: 0 },
    resize: { type: 'string', enum: resizeModes },
    format: { type: 'string', enum: formats },
    quality: { type: 'integer', minimum: 20, maximum: 100 },
    gravity: { type: 'string', enum: gravities },
    x_offset: { type: 'number' },
    y_offset: { type: 'number' },
  },
  // A focal point needs both coordinates, which are fractions of the image size.
  if: { properties: { gravity: { const: 'fp' } }, required: ['gravity'] },
  // biome-ignore lint/suspicious/noThenProperty: `then` is a JSON Schema keyword
  then: {
    required: ['x_offset', 'y_offset'],
    properties: {
      x_offset: { type: 'number', minimum: 0, maximum: 1 },
      y_offset: { type: 'number', minimum: 0, maximum: 1 },
    },
  },
} as const;

export interface BucketParams {
  bucketName: string;
}

export interface ObjectParams extends BucketParams {
  '*': string;
}

export interface DownloadQuery {
  download?: string;
}
