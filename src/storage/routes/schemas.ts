/** Parts of request schemas that several routes share; a fault's message comes from the validator, as upstream. */

/** Every route with a token says first that the header is missing, then what is wrong with the token. */
export const authorizationHeader = {
  type: 'object',
  properties: { authorization: { type: 'string' } },
  required: ['authorization'],
} as const;

export const downloadQuery = {
  type: 'object',
  properties: { download: { type: 'string' } },
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
