/** `POST /object/sign/…`: creates signed links to one object or several objects of a bucket. */
import type { FastifyInstance } from 'fastify';
import type { Transform } from '../core/transform.ts';
import { operations } from '../operations.ts';
import { openScope } from '../scope.ts';
import type { StorageService } from '../service.ts';
import { signDownloadUrl, signDownloadUrls } from '../signed-urls.ts';
import { authorizationHeader, type BucketParams, type ObjectParams, transformSchema } from './schemas.ts';

const expiresIn = { type: 'integer', minimum: 1 };
const maxPaths = 1000;

export function signRoutes(app: FastifyInstance, service: StorageService): void {
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
      const scope = openScope(service, request, operations.signObjectUrl);
      const { bucketName: bucketId, '*': key } = request.params;
      const { expiresIn, transform } = request.body;
      return { signedURL: await signDownloadUrl(service, scope, { bucketId, key }, expiresIn, transform) };
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
      const scope = openScope(service, request, operations.signObjectUrls);
      const { expiresIn, paths } = request.body;
      return signDownloadUrls(service, scope, request.params.bucketName, paths, expiresIn);
    },
  );
}
