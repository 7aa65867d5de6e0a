/**
 * Declares `GET /render/image/…`, which transforms an image. The source image is read with the caller's permissions,
 * from a public bucket, or by signed URL.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { StorageContext } from '../context.ts';
import { isNotModified } from '../core/conditions.ts';
import {
  cacheControl,
  contentDisposition,
  parseDate,
  readObjectMetadata,
  robotsTag,
} from '../core/object-headers.ts';
import { pictureTypes } from '../core/picture.ts';
import { describeTransform, parseTransform, type Transform } from '../core/transform.ts';
import { operations } from '../operations.ts';
import type { ObjectRow } from '../queries/objects.ts';
import {
  findCallersObject,
  findPublicObject,
  findSignedObject,
  withCurrentObject,
} from '../readable-object.ts';
import type { Renderer } from '../render/index.ts';
import { openScope } from '../scope.ts';
import { verifySignedUrl } from '../signed-urls.ts';
import { authorizationHeader, type DownloadQuery, type ObjectParams, transformSchema } from './schemas.ts';

type PictureQuery = DownloadQuery & Transform;
type PictureRequest = FastifyRequest<{ Params: ObjectParams; Querystring: DownloadQuery }>;

const querystring = {
  ...transformSchema,
  properties: { ...transformSchema.properties, download: { type: 'string' } },
} as const;

export function renderRoutes(app: FastifyInstance, ctx: StorageContext, renderer: Renderer): void {
  app.get<{ Params: ObjectParams; Querystring: PictureQuery }>(
    '/render/image/authenticated/:bucketName/*',
    { schema: { headers: authorizationHeader, querystring } },
    async (request, reply) => {
      const scope = openScope(ctx, request, operations.renderImage);
      return withCurrentObject(
        () => findCallersObject(scope, addressOf(request)),
        (object) => sendPicture(renderer, object, { request, reply, transform: request.query }),
      );
    },
  );

  app.get<{ Params: ObjectParams; Querystring: PictureQuery }>(
    '/render/image/public/:bucketName/*',
    { schema: { querystring } },
    async (request, reply) => {
      const scope = openScope(ctx, request, operations.renderPublicImage, 'none');
      return withCurrentObject(
        () => findPublicObject(scope, addressOf(request)),
        (object) => sendPicture(renderer, object, { request, reply, transform: request.query }),
      );
    },
  );

  app.get<{ Params: ObjectParams; Querystring: DownloadQuery & { token: string } }>(
    '/render/image/sign/:bucketName/*',
    {
      schema: {
        querystring: {
          type: 'object',
          properties: { download: { type: 'string' }, token: { type: 'string' } },
          required: ['token'],
        },
      },
    },
    async (request, reply) => {
      const address = addressOf(request);
      const claims = verifySignedUrl(ctx, request.query.token, 'download', address);
      const scope = openScope(ctx, request, operations.renderSignedImage, 'none');
      const transform = parseTransform(claims.transformations);
      return withCurrentObject(
        () => findSignedObject(scope, address, claims),
        (object) =>
          sendPicture(renderer, object, { request, reply, transform, expires: new Date(claims.exp * 1000) }),
      );
    },
  );
}

const addressOf = ({ params }: PictureRequest) => ({ bucketId: params.bucketName, key: params['*'] });

interface Rendering {
  readonly request: PictureRequest;
  readonly reply: FastifyReply;
  readonly transform: Transform;
  /** The expiry time of a signed URL, which limits how long the response can be cached. */
  readonly expires?: Date;
}

async function sendPicture(
  renderer: Renderer,
  object: ObjectRow,
  { request, reply, transform, expires }: Rendering,
): Promise<FastifyReply> {
  const { headers } = request;
  const metadata = readObjectMetadata(object.metadata);
  const { key, format, bytes } = await renderer.render({
    version: object.version ?? '',
    transform,
    accept: headers.accept,
  });
  // The ETag differs from the object's ETag, because each transformed image is a separate representation.
  const etag = `"${metadata.eTag?.replaceAll('"', '') ?? ''}-${key}"`;
  const lastModified = parseDate(metadata.lastModified ?? object.updated_at ?? undefined);
  const notModified = isNotModified(headers, { etag, lastModified });

  reply.header('etag', etag).header('x-robots-tag', robotsTag(metadata.xRobotsTag));
  if (lastModified) reply.header('last-modified', lastModified.toUTCString());
  if (transform.format === undefined) reply.header('vary', 'Accept');
  if (expires) reply.header('expires', expires.toUTCString());
  else {
    const stale = headers['if-none-match'] !== undefined && !notModified;
    reply.header('cache-control', cacheControl(metadata.cacheControl, stale));
  }
  if (notModified) return reply.code(304).send();

  const done = describeTransform(transform);
  if (done.length > 0) reply.header('x-transformations', done.join(','));
  const disposition = contentDisposition(request.query.download);
  if (disposition !== undefined) reply.header('content-disposition', disposition);
  return reply
    .header('content-type', pictureTypes[format])
    .header('content-length', bytes.byteLength)
    .send(bytes);
}
