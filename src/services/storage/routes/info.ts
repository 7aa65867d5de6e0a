/** Declares `HEAD /object/…` and `GET /object/info/…`, which return an object's metadata without its bytes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { StorageContext } from '../context.ts';
import {
  cacheControl,
  parseDate,
  readObjectMetadata,
  robotsTag,
  shownContentType,
} from '../core/object-headers.ts';
import { operations } from '../operations.ts';
import type { ObjectRow } from '../queries/objects.ts';
import { findCallersObject, findPublicObject } from '../readable-object.ts';
import { openScope, type TokenRule } from '../scope.ts';
import { authorizationHeader, type ObjectParams } from './schemas.ts';

type InfoRequest = FastifyRequest<{ Params: ObjectParams }>;

export function infoRoutes(app: FastifyInstance, ctx: StorageContext): void {
  const find = (request: InfoRequest, rule: TokenRule): Promise<ObjectRow> => {
    const address = { bucketId: request.params.bucketName, key: request.params['*'] };
    if (rule === 'none') {
      return findPublicObject(openScope(ctx, request, operations.getPublicObjectInfo, rule), address);
    }
    const operation = request.method === 'HEAD' ? operations.headObject : operations.getObjectInfo;
    return findCallersObject(openScope(ctx, request, operation, rule), address);
  };
  const route = (path: string, rule: TokenRule): void => {
    const schema = rule === 'required' ? { headers: authorizationHeader } : {};
    app.head<{ Params: ObjectParams }>(`/object${path}/:bucketName/*`, { schema }, async (request, reply) =>
      sendHead(request, reply, await find(request, rule)),
    );
    app.get<{ Params: ObjectParams }>(
      `/object/info${path}/:bucketName/*`,
      // For object information, upstream supports HEAD only for the path that doesn't specify whether the bucket is
      // public.
      { schema, exposeHeadRoute: path === '' },
      async (request, reply) => sendInfo(reply, await find(request, rule)),
    );
  };
  route('/authenticated', 'required');
  route('/public', 'none');
  route('', 'optional');
}

function sendHead(request: InfoRequest, reply: FastifyReply, object: ObjectRow): FastifyReply {
  const metadata = readObjectMetadata(object.metadata);
  const etag = request.headers['if-none-match'];
  const stored = cacheControl(metadata.cacheControl, false);
  describe(reply, object)
    .header('accept-ranges', 'bytes')
    .header('content-type', shownContentType(metadata))
    .header('x-robots-tag', robotsTag(metadata.xRobotsTag))
    .header(
      'cache-control',
      etag === undefined || etag === metadata.eTag ? stored : `${stored}, must-revalidate`,
    );
  const length = metadata.contentLength ?? metadata.size;
  if (length !== undefined) reply.header('content-length', length);
  return reply.send();
}

function sendInfo(reply: FastifyReply, object: ObjectRow): FastifyReply {
  const metadata = readObjectMetadata(object.metadata);
  if (metadata.cacheControl !== undefined)
    reply.header('cache-control', cacheControl(metadata.cacheControl, false));
  return describe(reply, object).send({
    id: object.id,
    name: object.name,
    version: object.version,
    bucket_id: object.bucket_id,
    size: metadata.size ?? null,
    content_type: metadata.mimetype ?? null,
    cache_control: metadata.cacheControl ?? null,
    etag: metadata.eTag ?? null,
    metadata: object.user_metadata,
    last_modified: object.updated_at,
    created_at: object.created_at,
  });
}

function describe(reply: FastifyReply, object: ObjectRow): FastifyReply {
  const metadata = readObjectMetadata(object.metadata);
  if (metadata.eTag !== undefined) reply.header('etag', metadata.eTag);
  const lastModified = parseDate(metadata.lastModified);
  if (lastModified) reply.header('last-modified', lastModified.toUTCString());
  return reply;
}
