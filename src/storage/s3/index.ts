/** The S3 protocol at `/storage/v1/s3`: authenticates, runs an operation and responds with XML. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { nameAbort } from '../aborts.ts';
import { nameUnreadableType } from '../errors.ts';
import { pathOf } from '../scope.ts';
import { sendBytes, setHeaders } from '../send-bytes.ts';
import type { StorageService } from '../service.ts';
import { authenticate } from './authenticate.ts';
import type { S3Response } from './call.ts';
import { algorithms, checksumHeader } from './core/object-checksum.ts';
import { renderS3Error } from './errors.ts';
import { isPostForm, postForm } from './operations/post-form.ts';
import { readRequest, s3Prefix } from './request.ts';
import { chooseOperation } from './router.ts';
import { openSignedScope } from './scope.ts';

/**
 * Headers exposed to cross-origin scripts: multipart uploads in browsers need the ETag and the checksum of each part.
 */
const exposedHeaders = [
  ...['etag', 'x-amz-request-id', 'content-range', 'x-amz-checksum-type'],
  ...algorithms.map(checksumHeader),
].join(', ');

export function s3Routes(app: FastifyInstance, service: StorageService): void {
  // Bodies are read only after the caller is authorized.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.setErrorHandler((error, request, reply) => sendError(service, request, reply, error));
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    send(service, reply, await respond(service, request, reply));
  for (const url of [s3Prefix, `${s3Prefix}/*`])
    app.route({ method: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'], url, handler });
}

async function respond(
  service: StorageService,
  fastify: FastifyRequest,
  reply: FastifyReply,
): Promise<S3Response> {
  const request = readRequest(fastify, reply);
  if (isPostForm(request)) return postForm(service, request);
  const auth = authenticate(service, request);
  const { operation, run } = chooseOperation(request);
  const scope = await openSignedScope(service, fastify, operation, auth);
  if (fastify.trace) {
    fastify.trace.role = scope.role;
    fastify.trace.userId = scope.owner.ownerId ?? undefined;
  }
  return run({ service, scope, auth, request });
}

async function send(service: StorageService, reply: FastifyReply, answer: S3Response): Promise<void> {
  const status = answer.status ?? 200;
  const headers = {
    'x-amz-request-id': reply.request.id,
    'access-control-expose-headers': exposedHeaders,
    ...answer.headers,
  };
  if (answer.body !== undefined) return sendBytes(reply, { status, headers }, answer.body, service.log);
  setHeaders(reply, headers);
  reply.code(status);
  if (answer.xml === undefined) await reply.send();
  else await reply.type('application/xml').send(answer.xml);
}

function sendError(
  service: StorageService,
  request: FastifyRequest,
  reply: FastifyReply,
  thrown: unknown,
): FastifyReply {
  request.raw.resume();
  const error = nameAbort(request.raw, nameUnreadableType(thrown));
  const resource = pathOf(request.url).slice(s3Prefix.length).split('?', 1)[0]?.replace(/^\//, '') ?? '';
  const { status, code, xml } = renderS3Error(error, resource, request.id);
  if (status >= 500 && status !== 501)
    service.log.error({ requestId: request.id, error }, 'storage: request failed');
  reply.code(status).header('x-amz-request-id', request.id);
  // Without a body, SDKs can only distinguish errors by this header.
  if (request.method === 'HEAD') return reply.header('x-amz-error-code', code).send();
  return reply.type('application/xml').send(xml);
}
