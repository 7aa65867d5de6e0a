/** A request of the S3 protocol, read as far as its signature and its operation need it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { mountPrefix } from '../scope.ts';
import { parseQuery, percentDecode, type QueryPair } from './core/encoding.ts';
import { S3Error } from './errors.ts';

export const s3Prefix = '/s3';
/** How S3 names the version of an object in a bucket without versions. */
export const onlyVersion = 'null';

export interface S3Request {
  readonly fastify: FastifyRequest;
  readonly reply: FastifyReply;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** As it was sent, with the mount, percent-encoded: that is what clients sign. */
  readonly path: string;
  readonly query: readonly QueryPair[];
  /** The first value of a parameter; empty text for one without a value. */
  param(name: string): string | undefined;
  /** Empty where the request is about all buckets. */
  readonly bucket: string;
  /** Empty where it is about a bucket. */
  readonly key: string;
}

/** @throws {S3Error} InvalidURI */
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

/** A header that stands once; several of the same are joined by Node. */
export function header(request: Pick<S3Request, 'headers'>, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : value?.join(',');
}

/** A whole number of a parameter within bounds; `fallback` without one. @throws {S3Error} InvalidArgument */
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
