/**
 * Declares `GET /object/…`, which downloads an object with the caller's permissions, from a public bucket, or by signed
 * URL.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { StorageContext } from '../context.ts';
import { StorageError } from '../errors.ts';
import { operations } from '../operations.ts';
import {
  findCallersObject,
  findPublicObject,
  findSignedObject,
  withCurrentObject,
} from '../readable-object.ts';
import { openScope } from '../scope.ts';
import { sendObject } from '../send-object.ts';
import { verifySignedUrl } from '../signed-urls.ts';
import { authorizationHeader, type DownloadQuery, downloadQuery, type ObjectParams } from './schemas.ts';

type DownloadRequest = FastifyRequest<{ Params: ObjectParams; Querystring: DownloadQuery }>;

const addressOf = (request: DownloadRequest) => ({
  bucketId: request.params.bucketName,
  key: request.params['*'],
});

export function downloadRoutes(app: FastifyInstance, ctx: StorageContext): void {
  app.get<{ Params: ObjectParams; Querystring: DownloadQuery }>(
    '/object/authenticated/:bucketName/*',
    { schema: { headers: authorizationHeader, querystring: downloadQuery } },
    async (request, reply) => {
      const scope = openScope(ctx, request, operations.getObject);
      return withCurrentObject(
        () => findCallersObject(scope, addressOf(request)),
        (object) => sendObject(ctx, request, reply, object),
      );
    },
  );

  app.get<{ Params: ObjectParams; Querystring: DownloadQuery }>(
    '/object/:bucketName/*',
    { schema: { querystring: downloadQuery } },
    async (request, reply) => {
      const scope = openScope(ctx, request, operations.getObject, 'optional');
      return withCurrentObject(
        () => findCallersObject(scope, addressOf(request)),
        (object) => sendObject(ctx, request, reply, object),
      );
    },
  );

  app.get<{ Params: ObjectParams; Querystring: DownloadQuery }>(
    '/object/public/:bucketName/*',
    { schema: { querystring: downloadQuery } },
    async (request, reply) => {
      const scope = openScope(ctx, request, operations.getPublicObject, 'none');
      return withCurrentObject(
        () => findPublicObject(scope, addressOf(request)),
        (object) => sendObject(ctx, request, reply, object),
      );
    },
  );

  app.get<{ Params: ObjectParams; Querystring: DownloadQuery & { token: string } }>(
    '/object/sign/:bucketName/*',
    {
      schema: {
        querystring: {
          type: 'object',
          properties: { download: { type: 'string' }, token: { type: 'string' } },
          required: ['token'],
        },
      },
      exposeHeadRoute: true,
    },
    async (request, reply) => {
      const address = addressOf(request);
      const claims = verifySignedUrl(ctx, request.query.token, 'download', address);
      // A link to a transformed image doesn't grant access to the original image.
      if (claims.transformations !== '') throw new StorageError('InvalidSignature');
      const scope = openScope(ctx, request, operations.getSignedObject, 'none');
      return withCurrentObject(
        () => findSignedObject(scope, address, claims),
        (object) => sendObject(ctx, request, reply, object, new Date(claims.exp * 1000)),
      );
    },
  );
}
