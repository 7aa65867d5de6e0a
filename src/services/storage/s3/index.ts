/** Declares the S3 protocol at `/storage/v1/s3`. Its code is loaded by the first request, because few projects use it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { StorageContext } from '../context.ts';
import { s3Prefix } from '../scope.ts';

const loadService = () => import('./serve.ts');

export function s3Routes(app: FastifyInstance, ctx: StorageContext): void {
  // Bodies aren't parsed here because they are read only after the caller has been authorized.
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.setErrorHandler(async (error, request, reply) =>
    (await loadService()).sendS3Error(ctx, request, reply, error),
  );
  const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<void> =>
    (await loadService()).serveS3(ctx, request, reply);
  for (const url of [s3Prefix, `${s3Prefix}/*`])
    app.route({ method: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'], url, handler });
}
