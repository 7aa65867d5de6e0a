/**
 * Declares the routes below `/object/…` that upload (POST) and replace (PUT) objects, with the caller's permissions or
 * by signed URL.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { StorageContext } from '../context.ts';
import { isUuid } from '../core/names.ts';
import { StorageError } from '../errors.ts';
import { bucketLimits } from '../object-limits.ts';
import { type Operation, operations } from '../operations.ts';
import type { ObjectRow } from '../queries/objects.ts';
import { type Owner, openScope, ownerOf, type Scope, serviceRole } from '../scope.ts';
import { replaceableBy, signUploadUrl, verifySignedUrl } from '../signed-urls.ts';
import { receiveUpload } from '../upload-body.ts';
import { requireUploadable, storeUpload, type WriteConditions } from '../write-object.ts';
import { authorizationHeader, type ObjectParams } from './schemas.ts';

export function uploadRoutes(app: FastifyInstance, ctx: StorageContext): void {
  const upload = (operation: Operation, mayReplace: (request: FastifyRequest) => boolean) => {
    return async (request: FastifyRequest<{ Params: ObjectParams }>, reply: FastifyReply) => {
      const scope = openScope(ctx, request, operation);
      const row = await receive(ctx, scope, request, { owner: scope.owner, upsert: mayReplace(request) });
      return reply.send({ Id: row.id, Key: `${row.bucket_id}/${row.name}` });
    };
  };
  app.post<{ Params: ObjectParams }>(
    '/object/:bucketName/*',
    { schema: { headers: authorizationHeader } },
    upload(operations.uploadObject, (request) => request.headers['x-upsert'] === 'true'),
  );
  app.put<{ Params: ObjectParams }>(
    '/object/:bucketName/*',
    { schema: { headers: authorizationHeader } },
    upload(operations.updateObject, () => true),
  );

  app.post<{ Params: ObjectParams }>(
    '/object/upload/sign/:bucketName/*',
    { schema: { headers: authorizationHeader } },
    async (request) => {
      const scope = openScope(ctx, request, operations.signUploadUrl);
      const { bucketName: bucketId, '*': key } = request.params;
      request.raw.resume();
      return signUploadUrl(ctx, scope, { bucketId, key }, request.headers);
    },
  );
  app.put<{ Params: ObjectParams; Querystring: { token: string } }>(
    '/object/upload/sign/:bucketName/*',
    {
      schema: {
        querystring: { type: 'object', properties: { token: { type: 'string' } }, required: ['token'] },
      },
    },
    async (request) => {
      const { bucketName: bucketId, '*': key } = request.params;
      const claims = verifySignedUrl(ctx, request.query.token, 'upload', { bucketId, key });
      const scope = openScope(ctx, request, operations.uploadSignedObject, 'none');
      const row = await receive(ctx, scope, request, {
        owner: ownerOf(claims.owner),
        upsert: claims.upsert,
        precondition: replaceableBy(claims),
      });
      return { Key: `${row.bucket_id}/${row.name}` };
    },
  );
}

async function receive(
  ctx: StorageContext,
  scope: Scope,
  request: FastifyRequest<{ Params: ObjectParams }>,
  write: WriteConditions & { readonly owner: Owner },
): Promise<ObjectRow> {
  const { bucketName: bucketId, '*': key } = request.params;
  let discard = (): void => void request.raw.resume();
  try {
    if (bucketId.includes('\0')) throw new StorageError('NoSuchBucket');
    const body = await receiveUpload(request.raw).catch(async (error: unknown) => {
      // If the bucket doesn't exist either, the client receives that error.
      await bucketLimits(scope, bucketId);
      throw error;
    });
    discard = body.discard;
    const upload = { bucketId, key, body, version: suggestedVersion(scope, request), ...write };
    const object = await requireUploadable(ctx, scope, upload);
    return await storeUpload(ctx, scope, { ...upload, ...object });
  } catch (error) {
    discard();
    throw error;
  }
}

/**
 * Returns the version that the client suggests, so that a migration between servers can keep the versions of the source
 * server. Only the service role, which can write every row anyway, can suggest a version.
 */
function suggestedVersion(scope: Scope, { headers }: FastifyRequest): string | undefined {
  const version = headers['x-object-version'];
  // The scope of a signed URL also has the service role, but the caller isn't authenticated.
  return scope.authenticated && scope.role === serviceRole && typeof version === 'string' && isUuid(version)
    ? version.toLowerCase()
    : undefined;
}
