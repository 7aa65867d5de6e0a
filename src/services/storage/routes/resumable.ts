/**
 * Declares `/upload/resumable`, which supports resumable uploads with the TUS protocol 1.0.0 and the extensions
 * creation, creation-with-upload, creation-defer-length, termination and expiration. Routes below `/sign` use a signed
 * upload link instead of a token.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { retryAfterOf } from '../../../base/shared/errors.ts';
import type { StorageContext } from '../context.ts';
import type { ObjectAddress } from '../core/names.ts';
import {
  parseByteCount,
  parseTusMetadata,
  parseUploadId,
  printTusMetadata,
  printUploadId,
  tusVersion,
  type UploadId,
} from '../core/tus.ts';
import { StorageError, storageErrors } from '../errors.ts';
import { type Operation, operations } from '../operations.ts';
import { TusError, TusHeaderError } from '../resumable/errors.ts';
import {
  type Addition,
  addBytes,
  addressOf,
  beginUpload,
  findUpload,
  forgetUpload,
  progressOf,
  requireAllowed,
  terminateUpload,
  type Uploader,
  uploadLifetimeMs,
} from '../resumable/lifecycle.ts';
import type { StagedUpload } from '../resumable/types.ts';
import { mountPrefix, openScope, ownerOf, type Scope } from '../scope.ts';
import { replaceableBy, verifySignedUrl } from '../signed-urls.ts';
import { authorizationHeader } from './schemas.ts';

const extensions = 'creation,creation-with-upload,creation-defer-length,termination,expiration';
const exposedHeaders =
  'Authorization, Content-Type, Location, Tus-Complete, Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Defer-Length, Upload-Expires, Upload-Length, Upload-Metadata, Upload-Offset';
const bodyType = 'application/offset+octet-stream';

type Request = FastifyRequest<{ Params: { id?: string } }>;
type IdentifyUploader = (request: Request, scope: Scope, address: ObjectAddress) => Uploader;

export function resumableRoutes(app: FastifyInstance, ctx: StorageContext): void {
  mount(app, ctx, '/upload/resumable', (request, scope) => ({
    scope,
    owner: scope.owner,
    identity: `${scope.role} ${scope.owner.ownerId ?? ''}`,
    upsert: request.headers['x-upsert'] === 'true',
  }));
  mount(app, ctx, '/upload/resumable/sign', (request, scope, address) => {
    const token = request.headers['x-signature'];
    if (typeof token !== 'string' || token === '')
      throw new StorageError('InvalidSignature', 'Missing x-signature header');
    const claims = verifySignedUrl(ctx, token, 'upload', address);
    const { owner, upsert } = claims;
    const precondition = replaceableBy(claims);
    return { scope, owner: ownerOf(owner), identity: `signed ${owner ?? ''}`, upsert, precondition };
  });
}

function mount(
  app: FastifyInstance,
  ctx: StorageContext,
  prefix: '/upload/resumable' | '/upload/resumable/sign',
  identify: IdentifyUploader,
): void {
  const suffix = prefix === '/upload/resumable' ? '' : '_signed';
  const { locks } = ctx.resumable;
  const schema = suffix === '' ? { schema: { headers: authorizationHeader } } : {};
  const response =
    (operation: Operation, work: (request: Request, reply: FastifyReply, scope: Scope) => Promise<unknown>) =>
    async (request: Request, reply: FastifyReply): Promise<unknown> => {
      const scope = openScope(ctx, request, operation, suffix === '' ? 'required' : 'none');
      reply.header('tus-resumable', tusVersion).header('access-control-expose-headers', exposedHeaders);
      try {
        requireVersion(request, reply);
        return await work(request, reply, scope);
      } catch (error) {
        return refuse(ctx, request, reply, error);
      }
    };
  const uploaderOf = (request: Request, scope: Scope): { named: UploadId; uploader: Uploader } => {
    const named = parseUploadId(request.params.id ?? '');
    if (!named) throw new TusError('UploadNotFound');
    return { named, uploader: identify(request, scope, named) };
  };
  /**
   * Runs `work` while holding the lock of the caller's upload. The owner of the upload is checked both before and after
   * locking, because only the owner is allowed to interrupt another request.
   */
  const holdOwn = async <T>(
    named: UploadId,
    uploader: Uploader,
    work: (upload: StagedUpload, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    await findUpload(ctx, uploader, named);
    return locks.hold(named.id, async (signal) => work(await findUpload(ctx, uploader, named), signal));
  };

  const create = response(operations[`createUpload${suffix}`], async (request, reply, scope) => {
    if (request.headers['upload-concat'] !== undefined) throw new TusError('ConcatenationUnsupported');
    const { sizeBytes, metadata } = announcedUpload(request);
    const address = addressOf(metadata);
    const uploader = identify(request, scope, address);
    const upload = await beginUpload(ctx, uploader, address, { sizeBytes, metadata });

    const hasBody = request.headers['content-type'] === bodyType;
    if (hasBody || sizeBytes === 0) {
      const progress = await locks
        .hold(upload.id, (signal) => addBytes(ctx, uploader, upload, additionOf(request, signal, 0)))
        .catch(async (error: unknown) => {
          // The client never received the upload's URL, so it can't resume the upload.
          await forgetUpload(ctx, upload.id);
          throw error;
        });
      reply.header('upload-offset', progress.offset);
      if (progress.isFinished) reply.header('tus-complete', '1');
      else expires(reply, upload);
    } else {
      expires(reply, upload);
    }
    const location = locationOf(request, `${mountPrefix}${prefix}/${printUploadId(upload)}`);
    return reply.code(201).header('location', location).send();
  });
  app.post(prefix, schema, create);
  app.post(`${prefix}/`, schema, create);

  const showProgress = response(operations[`getUpload${suffix}`], async (request, reply, scope) => {
    const { named, uploader } = uploaderOf(request, scope);
    const { upload, offset } = await holdOwn(named, uploader, (found) => progressOf(ctx, uploader, found));
    reply.header('cache-control', 'no-store').header('upload-offset', offset);
    if (upload.sizeBytes === undefined) reply.header('upload-defer-length', '1');
    else reply.header('upload-length', upload.sizeBytes);
    return expires(reply, upload).header('upload-metadata', printTusMetadata(upload.metadata)).send();
  });

  const append = response(operations[`uploadPart${suffix}`], async (request, reply, scope) => {
    const { named, uploader } = uploaderOf(request, scope);
    const offset = byteCount(request, 'upload-offset');
    if (offset === undefined) throw new TusError('OffsetRequired');
    const type = request.headers['content-type'];
    if (type === undefined) throw new TusError('ContentTypeRequired');
    if (type !== bodyType) throw new TusHeaderError('content-type');
    const sizeBytes = byteCount(request, 'upload-length');
    const progress = await holdOwn(named, uploader, async (upload, signal) => {
      if (upload.storedAs === undefined) await requireAllowed(uploader, upload);
      return addBytes(ctx, uploader, upload, additionOf(request, signal, offset, sizeBytes));
    });
    reply.header('upload-offset', progress.offset);
    if (progress.isFinished) reply.header('tus-complete', '1');
    else expires(reply, progress.upload);
    return reply.code(204).send();
  });

  const terminate = response(operations[`deleteUpload${suffix}`], async (request, reply, scope) => {
    const { named, uploader } = uploaderOf(request, scope);
    await holdOwn(named, uploader, (upload) => terminateUpload(ctx, uploader, upload));
    return reply.code(204).send();
  });

  const describe = describeProtocol(ctx);
  const dispatch = dispatchBy({ HEAD: showProgress, PATCH: append, DELETE: terminate, OPTIONS: describe });
  app.head<{ Params: { id: string } }>(`${prefix}/:id`, schema, dispatch);
  app.patch<{ Params: { id: string } }>(`${prefix}/:id`, schema, dispatch);
  app.delete<{ Params: { id: string } }>(`${prefix}/:id`, schema, dispatch);
  app.post<{ Params: { id: string } }>(`${prefix}/:id`, schema, dispatch);

  app.options(prefix, describe);
  app.options(`${prefix}/`, describe);
  app.options(`${prefix}/:id`, describe);
}

type Handler = (request: Request, reply: FastifyReply) => unknown;

/**
 * Returns the handler that calls one of the handlers by method. The header `X-HTTP-Method-Override` replaces the
 * request's method (TUS 1.0.0, section "X-HTTP-Method-Override"). Clients send it with POST if a proxy or their HTTP
 * library doesn't support PATCH.
 */
const dispatchBy =
  (handlers: Readonly<Record<string, Handler>>) =>
  async (request: Request, reply: FastifyReply): Promise<unknown> => {
    const override = request.headers['x-http-method-override'];
    const method = (typeof override === 'string' ? override.trim() : request.method).toUpperCase();
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
    return handler === undefined ? reply.callNotFound() : handler(request, reply);
  };

/** Returns the handler that describes the supported protocol to clients. */
const describeProtocol =
  (ctx: StorageContext) =>
  (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply
      .code(204)
      .header('tus-resumable', tusVersion)
      .header('tus-version', tusVersion)
      .header('tus-extension', extensions)
      .header('tus-max-size', ctx.fileSizeLimitBytes)
      .header('access-control-expose-headers', exposedHeaders)
      .send();

/**
 * Throws status 412 if the client uses a different protocol version. The response contains the supported version
 * (section "Tus-Resumable").
 */
function requireVersion(request: Request, reply: FastifyReply): void {
  const requested = request.headers['tus-resumable'];
  if (requested === tusVersion) return;
  reply.header('tus-version', tusVersion);
  throw new TusError('VersionRequired');
}

/** Returns the size and the metadata of a new upload. The size is undefined if the client sends it later. */
function announcedUpload(request: Request) {
  const sizeBytes = byteCount(request, 'upload-length');
  const isDeferred = request.headers['upload-defer-length'] !== undefined;
  if (isDeferred && request.headers['upload-defer-length'] !== '1')
    throw new TusHeaderError('upload-defer-length');
  if (isDeferred === (sizeBytes !== undefined)) throw new TusError('LengthRequired');
  const metadata = parseTusMetadata(String(request.headers['upload-metadata'] ?? ''));
  if (!metadata) {
    if (request.headers['upload-metadata'] === undefined) throw new TusError('MetadataRequired');
    throw new TusHeaderError('upload-metadata');
  }
  return { sizeBytes, metadata };
}

function byteCount(request: Request, name: 'upload-length' | 'upload-offset'): number | undefined {
  const header = request.headers[name];
  if (header === undefined) return undefined;
  const count = typeof header === 'string' ? parseByteCount(header) : undefined;
  if (count === undefined) throw new TusHeaderError(name);
  return count;
}

const locationOf = ({ host, protocol }: Request, path: string): string =>
  host === '' ? path : `${protocol}://${host}${path}`;

function additionOf({ raw }: Request, signal: AbortSignal, offset: number, sizeBytes?: number): Addition {
  const contentLength = parseByteCount(raw.headers['content-length'] ?? '');
  return { offset, sizeBytes, contentLength, body: raw, signal };
}

function expires(reply: FastifyReply, upload: StagedUpload): FastifyReply {
  return reply.header('upload-expires', new Date(upload.createdAt + uploadLifetimeMs).toUTCString());
}

/**
 * Sends an error as plain text with its own status. JSON errors are used only for invalid tokens, which are checked
 * earlier.
 */
function refuse(ctx: StorageContext, request: Request, reply: FastifyReply, error: unknown): FastifyReply {
  request.raw.resume();
  const { status, body } = textOf(error);
  const retryAfter = retryAfterOf(error);
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  else if (status >= 500) ctx.log.error({ requestId: request.id, error }, 'storage: request failed');
  return reply.code(status).type('text/plain; charset=utf-8').send(body);
}

function textOf(error: unknown): { readonly status: number; readonly body: string } {
  if (error instanceof TusError || error instanceof TusHeaderError)
    return { status: error.status, body: error.message };
  if (error instanceof StorageError)
    return { status: storageErrors[error.entry].status, body: error.message };
  return { status: 500, body: 'Something went wrong with that request\n' };
}
