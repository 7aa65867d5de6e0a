/** Implements the S3 protocol: authenticates requests, runs operations and responds with XML. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { retryAfterOf } from '../../../base/shared/errors.ts';
import type { StorageContext } from '../context.ts';
import { nameUnreadableType } from '../errors.ts';
import { pathOf, s3Prefix } from '../scope.ts';
import { sendBytes, setHeaders } from '../send-bytes.ts';
import { nameAbort } from '../upload-body.ts';
import { authenticate, openSignedScope } from './authenticate.ts';
import { algorithms, checksumHeader } from './core/object-checksum.ts';
import { renderS3Error } from './errors.ts';
import type { S3Response } from './operation.ts';
import { isPostForm, postForm } from './operations/post-form.ts';
import { readRequest } from './request.ts';
import { chooseOperation } from './router.ts';

/**
 * Headers that cross-origin scripts can read. Multipart uploads in browsers need the ETag and the checksum of each
 * part.
 */
const exposedHeaders = [
  ...['etag', 'x-amz-request-id', 'content-range', 'x-amz-checksum-type'],
  ...algorithms.map(checksumHeader),
].join(', ');

/** Responds to a request. Errors are thrown. */
export async function serveS3(
  ctx: StorageContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  await send(ctx, reply, await respond(ctx, request, reply));
}

async function respond(
  ctx: StorageContext,
  fastify: FastifyRequest,
  reply: FastifyReply,
): Promise<S3Response> {
  const request = readRequest(fastify, reply);
  if (isPostForm(request)) return postForm(ctx, request);
  const auth = authenticate(ctx, request);
  const { operation, run } = chooseOperation(request);
  const scope = await openSignedScope(ctx, fastify, operation, auth);
  if (fastify.trace) {
    fastify.trace.role = scope.role;
    fastify.trace.userId = scope.owner.ownerId ?? undefined;
  }
  return run({ service: ctx, scope, auth, request });
}

async function send(ctx: StorageContext, reply: FastifyReply, response: S3Response): Promise<void> {
  const status = response.status ?? 200;
  const headers = {
    'x-amz-request-id': reply.request.id,
    'access-control-expose-headers': exposedHeaders,
    ...response.headers,
  };
  if (response.body !== undefined) return sendBytes(reply, { status, headers }, response.body, ctx.log);
  setHeaders(reply, headers);
  reply.code(status);
  if (response.xml === undefined) await reply.send();
  else await reply.type('application/xml').send(response.xml);
}

/** Responds with an error. */
export function sendS3Error(
  ctx: StorageContext,
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
): FastifyReply {
  request.raw.resume();
  const error = nameAbort(request.raw, nameUnreadableType(thrown));
  const resource = pathOf(request.url).slice(s3Prefix.length).split('?', 1)[0]?.replace(/^\//, '') ?? '';
  const { status, code, xml } = renderS3Error(error, resource, request.id);
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  else if (status >= 500 && status !== 501)
    ctx.log.error({ requestId: request.id, error }, 'storage: request failed');
  reply.code(status).header('x-amz-request-id', request.id);
  // If an error response has no body, this header is the only way for SDKs to distinguish errors.
  if (request.method === 'HEAD') return reply.header('x-amz-error-code', code).send();
  return reply.type('application/xml').send(xml);
}
