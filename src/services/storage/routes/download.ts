/**
 * Declares `GET /object/…`, which downloads an object with the caller's permissions, from a public bucket, or by signed
 * URL.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { StorageContext } from '../context.ts';
import { isNotModified, isRangeCurrent } from '../core/conditions.ts';
import {
  cacheControl,
  contentDisposition,
  documentPolicy,
  parseDate,
  readObjectMetadata,
  robotsTag,
  shownContentType,
} from '../core/object-headers.ts';
import { parseRange } from '../core/range.ts';
import { BytesMissingError, StorageError } from '../errors.ts';
import { operations } from '../operations.ts';
import type { ObjectRow } from '../queries/objects.ts';
import {
  findCallersObject,
  findPublicObject,
  findSignedObject,
  withCurrentObject,
} from '../readable-object.ts';
import { openScope } from '../scope.ts';
import { sendBytes, setHeaders } from '../send-bytes.ts';
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
        (object) => sendObject(ctx, object, { request, reply }),
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
        (object) => sendObject(ctx, object, { request, reply }),
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
        (object) => sendObject(ctx, object, { request, reply }),
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
        (object) => sendObject(ctx, object, { request, reply, expires: new Date(claims.exp * 1000) }),
      );
    },
  );
}

interface Download {
  readonly request: DownloadRequest;
  readonly reply: FastifyReply;
  /** The expiry time of a signed URL, which limits how long the response can be cached. */
  readonly expires?: Date;
}

/**
 * Sends an object. Evaluates conditions and ranges, and sends the headers and the bytes.
 * @throws {BytesMissingError} before anything is sent
 */
async function sendObject(
  ctx: StorageContext,
  object: ObjectRow,
  { request, reply, expires }: Download,
): Promise<void> {
  const { headers } = request;
  const { log } = ctx;
  const metadata = readObjectMetadata(object.metadata);
  const current = {
    etag: metadata.eTag,
    lastModified: parseDate(metadata.lastModified ?? object.updated_at ?? undefined),
  };
  const notModified = isNotModified(headers, current);
  const isStale = headers['if-none-match'] !== undefined && !notModified;
  const contentType = shownContentType(metadata);
  const common = {
    // A 304 response also contains these headers, because browsers then replace the cached policy.
    'content-type': contentType,
    ...documentPolicy(contentType),
    'accept-ranges': 'bytes',
    'x-robots-tag': robotsTag(metadata.xRobotsTag),
    etag: current.etag,
    'last-modified': current.lastModified?.toUTCString(),
    expires: expires?.toUTCString(),
  };
  const lifetime = { 'cache-control': expires ? undefined : cacheControl(metadata.cacheControl, isStale) };
  const disposition = contentDisposition(request.query.download);
  const sentRange = isRangeCurrent(headers, current) ? headers.range : undefined;
  if (!notModified && request.method === 'GET' && isRedirected(ctx, metadata.size, sentRange)) {
    const shown = {
      'content-type': contentType,
      'cache-control': expires ? undefined : cacheControl(metadata.cacheControl, false),
      'content-disposition': disposition,
      expires: common.expires,
    };
    const location = await ctx.backend.downloadUrl?.(object.version ?? '', shown, ctx.clock.now());
    if (location !== undefined) {
      const redirect = { location, 'cache-control': 'no-store', 'x-robots-tag': common['x-robots-tag'] };
      const head = { status: 302, headers: { ...redirect, 'content-length': 0 } };
      await sendBytes(reply, head, undefined, log);
      return;
    }
  }
  const body = await ctx.backend.open(object.version ?? '');
  if (!body) throw new BytesMissingError();

  try {
    if (notModified) {
      await body.close();
      await sendBytes(reply, { status: 304, headers: { ...common, ...lifetime } }, undefined, log);
      return;
    }

    const described = { ...common, 'content-disposition': disposition };
    const range = parseRange(sentRange, body.sizeBytes);
    if (range === 'unsatisfiable') {
      setHeaders(reply, { ...described, 'content-range': `bytes */${body.sizeBytes}` });
      reply.type('application/json');
      throw new StorageError('InvalidRange');
    }
    const head = range
      ? {
          status: 206,
          headers: {
            ...described,
            ...lifetime,
            'content-range': `bytes ${range.start}-${range.end}/${body.sizeBytes}`,
            'content-length': range.end - range.start + 1,
          },
        }
      : { status: 200, headers: { ...described, ...lifetime, 'content-length': body.sizeBytes } };
    if (request.method === 'HEAD') {
      await body.close();
      await sendBytes(reply, head, undefined, log);
      return;
    }
    await sendBytes(reply, head, await body.read(range), log);
  } catch (error) {
    await body.close();
    throw error;
  }
}

/** Whether the bytes to be sent exceed the size above which downloads are redirected to the S3 server. */
function isRedirected(ctx: StorageContext, sizeBytes = 0, sentRange: string | undefined): boolean {
  const { redirectDownloadsOverBytes: limit, backend } = ctx;
  if (limit === undefined || backend.downloadUrl === undefined) return false;
  const range = parseRange(sentRange, sizeBytes);
  if (range === 'unsatisfiable') return false;
  return (range ? range.end - range.start + 1 : sizeBytes) > limit;
}
