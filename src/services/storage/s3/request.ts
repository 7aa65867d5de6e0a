/** Parses the parts of an S3 request on which the signature and the operation depend. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mountPrefix, s3Prefix } from '../scope.ts';
import { parseQuery, percentDecode, type QueryPair } from './core/encoding.ts';
import { S3Error } from './errors.ts';

/** The version ID that S3 uses for objects in an unversioned bucket. */
export const onlyVersion = 'null';

export interface S3Request {
  readonly fastify: FastifyRequest;
  readonly reply: FastifyReply;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw percent-encoded path, including the mount prefix. Clients sign the path in this form. */
  readonly path: string;
  readonly query: readonly QueryPair[];
  /**
   * Returns the first value of a parameter, an empty string if the parameter has no value, or undefined if the
   * parameter is missing.
   */
  param(name: string): string | undefined;
  /** The bucket. Empty if the operation applies to all buckets. */
  readonly bucket: string;
  /** The key. Empty if the operation applies to a bucket. */
  readonly key: string;
}

/** Parses a request. @throws {S3Error} InvalidURI */
export function readRequest(fastify: FastifyRequest, reply: FastifyReply): S3Request {
  const [path = '', ...rest] = fastify.url.split('?');
  const query = parseQuery(rest.join('?'));
  const resource = percentDecode(path.slice(mountPrefix.length + s3Prefix.length).replace(/^\//, ''));
  if (query === undefined || resource === undefined || resource.includes('\0'))
    throw new S3Error('InvalidURI');
  const slash = resource.indexOf('/');
  return {
    fastify,
    reply,
    method: fastify.method,
    headers: fastify.headers,
    path,
    query,
    param: (name) => query.find((pair) => pair.name === name)?.value,
    bucket: slash < 0 ? resource : resource.slice(0, slash),
    key: slash < 0 ? '' : resource.slice(slash + 1),
  };
}

/** Returns a header. If a header is repeated, Node joins its values. */
export function header(request: Pick<S3Request, 'headers'>, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : value?.join(',');
}

/**
 * Parses an integer parameter within bounds. Returns `fallback` if the parameter is missing.
 * @throws {S3Error} InvalidArgument
 */
export function numberParam(
  request: S3Request,
  name: string,
  bounds: { readonly min: number; readonly max: number; readonly fallback: number },
): number {
  const text = request.param(name);
  if (text === undefined || text === '') return bounds.fallback;
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= bounds.min && value <= bounds.max))
    throw new S3Error('InvalidArgument', `Provided ${name} not an integer or within integer range`);
  return value;
}
