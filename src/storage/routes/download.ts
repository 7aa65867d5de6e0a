/** `GET /object/…`: downloads an object as the caller, from a public bucket, or by signed URL. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
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
import type { StorageService } from '../service.ts';
import { verifySignedUrl } from '../signed-urls.ts';
import { authorizationHeader, type DownloadQuery, downloadQuery, type ObjectParams } from './schemas.ts';

type DownloadRequest = FastifyRequest<{ Params: ObjectParams; Querystring: DownloadQuery }>;

const addressOf = (request: DownloadRequest) => ({
  bucketId: request.params.bucketName,
  key: request.params['*'],
});

export function downloadRoutes(app: FastifyInstance, service: StorageService): void {
  app.get<{ Params: ObjectParams; Querystring: DownloadQuery }>(
    '/object/authenticated/:bucketName/*',
    { schema: { headers: authorizationHeader, querystring: downloadQuery } },
    async (request, reply) => {
      const scope = openScope(service, request, operations.getObject);
      return withCurrentObject(
        () => findCallersObject(scope, addressOf(request)),
        (object) => sendObject(service, request, reply, object),
      );
    },
  );

  app.get<{ Params: ObjectParams; Querystring: DownloadQuery }>(
    '/object/:bucketName/*',
    { schema: { querystring: downloadQuery } },
    async (request, reply) => {
      const scope = openScope(service, request, operations.getObject, 'optional');
      return withCurrentObject(
        () => findCallersObject(scope, addressOf(request)),
        (object) => sendObject(service, request, reply, object),
      );
    },
  );

  app.get<{ Params: ObjectParams; Querystring: DownloadQuery }>(
    '/object/public/:bucketName/*',
    { schema: { querystring: downloadQuery } },
    async (request, reply) => {
      const scope = openScope(service, request, operations.getPublicObject, 'none');
      return withCurrentObject(
        () => findPublicObject(scope, addressOf(request)),
        (object) => sendObject(service, request, reply, object),
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
      const claims = verifySignedUrl(service, request.query.token, 'download', address);
      // A link to a transformed image doesn't give access to the original.
      if (claims.transformations !== '') throw new StorageError('InvalidSignature');
      const scope = openScope(service, request, operations.getSignedObject, 'none');
      return withCurrentObject(
        () => findSignedObject(scope, address, claims),
        (object) => sendObject(service, request, reply, object, new Date(claims.exp * 1000)),
      );
    },
  );
}
