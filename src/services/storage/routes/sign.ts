/** Declares `POST /object/sign/…`, which creates signed links to one or more objects in a bucket. */
import type { FastifyInstance } from 'fastify';
import type { StorageContext } from '../context.ts';
import type { Transform } from '../core/transform.ts';
import { operations } from '../operations.ts';
import { openScope } from '../scope.ts';
import { signDownloadUrl, signDownloadUrls } from '../signed-urls.ts';
import { authorizationHeader, type BucketParams, type ObjectParams, transformSchema } from './schemas.ts';

const expiresIn = { type: 'integer', minimum: 1 };
const maxPaths = 1000;

export function signRoutes(app: FastifyInstance, ctx: StorageContext): void {
  app.post<{ Params: ObjectParams; Body: { expiresIn: number; transform?: Transform } }>(
    '/object/sign/:bucketName/*',
    {
      schema: {
        headers: authorizationHeader,
        body: {
          type: 'object',
          properties: { expiresIn, transform: transformSchema },
          required: ['expiresIn'],
        },
      },
    },
    async (request) => {
      const scope = openScope(ctx, request, operations.signObjectUrl);
      const { bucketName: bucketId, '*': key } = request.params;
      const { expiresIn, transform } = request.body;
      return {
        signedURL: await signDownloadUrl(
          ctx,
          scope,
          { bucketId, key },
          { expiresInSeconds: expiresIn, transform },
        ),
      };
    },
  );

  app.post<{ Params: BucketParams; Body: { expiresIn: number; paths: string[] } }>(
    '/object/sign/:bucketName',
    {
      schema: {
        headers: authorizationHeader,
        body: {
          type: 'object',
          properties: {
            expiresIn,
            paths: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: maxPaths },
          },
          required: ['expiresIn', 'paths'],
        },
      },
    },
    async (request) => {
      const scope = openScope(ctx, request, operations.signObjectUrls);
      const { expiresIn, paths } = request.body;
      return signDownloadUrls(ctx, scope, { bucketId: request.params.bucketName, paths }, expiresIn);
    },
  );
}
