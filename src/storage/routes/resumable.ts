/**
 * `/upload/resumable`: resumable uploads with the TUS protocol 1.0.0 and the extensions creation, creation-with-upload,
 * creation-defer-length, termination and expiration. Routes below `/sign` use a signed upload link instead of a token.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseByteCount, parseTusMetadata, printTusMetadata, tusVersion } from '../core/tus-headers.ts';
import { parseUploadId, printUploadId, type UploadId } from '../core/upload-id.ts';
import { StorageError, storageErrors } from '../errors.ts';
import type { ObjectAddress } from '../object-address.ts';
import { type Operation, operations } from '../operations.ts';
import { TusError, TusHeaderError } from '../resumable/errors.ts';
import type { StagedUpload } from '../resumable/staging.ts';
import {
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
} from '../resumable/uploads.ts';
import { mountPrefix, openScope, ownerOf, type Scope } from '../scope.ts';
import type { StorageService } from '../service.ts';
import { replaceableBy, verifySignedUrl } from '../signed-urls.ts';
import { authorizationHeader } from './schemas.ts';

const extensions = 'creation,creation-with-upload,creation-defer-length,termination,expiration';
const exposedHeaders =
  'Authorization, Content-Type, Location, Tus-Complete, Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, Upload-Defer-Length, Upload-Expires, Upload-Length, Upload-Metadata, Upload-Offset';
const bodyType = 'application/offset+octet-stream';

type Request = FastifyRequest<{ Params: { id?: string } }>;
type IdentifyUploader = (request: Request, scope: Scope, address: ObjectAddress) => Uploader;

export function resumableRoutes(app: FastifyInstance, service: StorageService): void {
  mount(app, service, '/upload/resumable', '', (request, scope) => ({
    scope,
    owner: scope.owner,
    identity: `${scope.role} ${scope.owner.ownerId ?? ''}`,
    upsert: request.headers['x-upsert'] === 'true',
  }));
  mount(app, service, '/upload/resumable/sign', '_signed', (request, scope, address) => {
    const token = request.headers['x-signature'];
    if (typeof token !== 'string' || token === '')
      throw new StorageError('InvalidSignature', 'Missing x-signature header');
    const claims = verifySignedUrl(service, token, 'upload', address);
    const { owner, upsert } = claims;
    const precondition = replaceableBy(claims);
    return { scope, owner: ownerOf(owner), identity: `signed ${owner ?? ''}`, upsert, precondition };
  });
}

function mount(
  app: FastifyInstance,
  service: StorageService,
  prefix: '/upload/resumable' | '/upload/resumable/sign',
  suffix: '' | '_signed',
  identify: IdentifyUploader,
): void {
  const { locks } = service.resumable;
  const schema = suffix === '' ? { schema: { headers: authorizationHeader } } : {};
  const answer =
    (operation: Operation, work: (request: Request, reply: FastifyReply, scope: Scope) => Promise<unknown>) =>
    async (request: Request, reply: FastifyReply): Promise<unknown> => {
      const scope = openScope(service, request, operation, suffix === '' ? 'required' : 'none');
      reply.header('tus-resumable', tusVersion).header('access-control-expose-headers', exposedHeaders);
      try {
        requireVersion(request, reply);
        return await work(request, reply, scope);
      } catch (error) {
        return refuse(service, request, reply, error);
      }
    };
  const uploaderOf = (request: Request, scope: Scope): { named: UploadId; uploader: Uploader } => {
    const named = parseUploadId(request.params.id ?? '');
    if (!named) throw new TusError('UploadNotFound');
    return { named, uploader: identify(request, scope, named) };
  };
  /** Also checks before locking, because only the owner of an upload is allowed to interrupt another request. */
  const holdOwn = async <T>(
    named: UploadId,
    uploader: Uploader,
    work: (upload: StagedUpload, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    await findUpload(service, uploader, named);
    return locks.hold(named.id, async (signal) => work(await findUpload(service, uploader, named), signal));
  };

  const create = answer(operations[`createUpload${suffix}`], async (request, reply, scope) => {
    if (request.headers['upload-concat'] !== undefined) throw new TusError('ConcatenationUnsupported');
    const { sizeBytes, metadata } = announcedUpload(request);
    const address = addressOf(metadata);
    const uploader = identify(request, scope, address);
    const upload = await beginUpload(service, uploader, address, { sizeBytes, metadata });

    const hasBody = request.headers['content-type'] === bodyType;
    if (hasBody || sizeBytes === 0) {
      const progress = await locks
        .hold(upload.id, (signal) =>
          addBytes(service, uploader, upload, additionOf(request, 0, undefined), signal),
        )
        .catch(async (error: unknown) => {
          // The upload's URL was never sent, so it can't be resumed.
          await forgetUpload(service, upload.id);
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

  app.head<{ Params: { id: string } }>(
    `${prefix}/:id`,
    schema,
    answer(operations[`getUpload${suffix}`], async (request, reply, scope) => {
      const { named, uploader } = uploaderOf(request, scope);
      const { upload, offset } = await holdOwn(named, uploader, (found) =>
        progressOf(service, uploader, found),
      );
      reply.header('cache-control', 'no-store').header('upload-offset', offset);
      if (upload.sizeBytes === undefined) reply.header('upload-defer-length', '1');
      else reply.header('upload-length', upload.sizeBytes);
      return expires(reply, upload).header('upload-metadata', printTusMetadata(upload.metadata)).send();
    }),
  );

  app.patch<{ Params: { id: string } }>(
    `${prefix}/:id`,
    schema,
    answer(operations[`uploadPart${suffix}`], async (request, reply, scope) => {
      const { named, uploader } = uploaderOf(request, scope);
      const offset = byteCount(request, 'upload-offset');
      if (offset === undefined) throw new TusError('OffsetRequired');
      const type = request.headers['content-type'];
      if (type === undefined) throw new TusError('ContentTypeRequired');
      if (type !== bodyType) throw new TusHeaderError('content-type');
      const sizeBytes = byteCount(request, 'upload-length');
      const progress = await holdOwn(named, uploader, async (upload, signal) => {
        if (upload.storedAs === undefined) await requireAllowed(uploader, upload);
        return addBytes(service, uploader, upload, additionOf(request, offset, sizeBytes), signal);
      });
      reply.header('upload-offset', progress.offset);
      if (progress.isFinished) reply.header('tus-complete', '1');
      else expires(reply, progress.upload);
      return reply.code(204).send();
    }),
  );

  app.delete<{ Params: { id: string } }>(
    `${prefix}/:id`,
    schema,
    answer(operations[`deleteUpload${suffix}`], async (request, reply, scope) => {
      const { named, uploader } = uploaderOf(request, scope);
      await holdOwn(named, uploader, (upload) => terminateUpload(service, uploader, upload));
      return reply.code(204).send();
    }),
  );

  const describe = describeProtocol(service);
  app.options(prefix, describe);
  app.options(`${prefix}/`, describe);
  app.options(`${prefix}/:id`, describe);
}

/** Describes the supported protocol. */
const describeProtocol =
  (service: StorageService) =>
  (_request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    reply
      .code(204)
      .header('tus-resumable', tusVersion)
      .header('tus-version', tusVersion)
      .header('tus-extension', extensions)
      .header('tus-max-size', service.fileSizeLimitBytes)
      .header('access-control-expose-headers', exposedHeaders)
      .send();

/** A 412 response includes the supported version (section "Tus-Resumable"). */
function requireVersion(request: Request, reply: FastifyReply): void {
  const asked = request.headers['tus-resumable'];
  if (asked === tusVersion) return;
  reply.header('tus-version', tusVersion);
  throw new TusError('VersionRequired');
}

/** The size and the metadata of a new upload. The size is undefined if it is sent later. */
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

function additionOf(request: Request, offset: number, sizeBytes: number | undefined) {
  const { raw } = request;
  return {
    offset,
    sizeBytes,
    contentLength: parseByteCount(raw.headers['content-length'] ?? ''),
    body: raw,
  };
}

function expires(reply: FastifyReply, upload: StagedUpload): FastifyReply {
  return reply.header('upload-expires', new Date(upload.createdAt + uploadLifetimeMs).toUTCString());
}

/** Sends plain text with the actual status. JSON errors are only used for invalid tokens, which are checked earlier. */
function refuse(
  service: StorageService,
  request: Request,
  reply: FastifyReply,
  error: unknown,
): FastifyReply {
  request.raw.resume();
  const { status, body } = textOf(error);
  if (status >= 500) service.log.error({ requestId: request.id, error }, 'storage: request failed');
  return reply.code(status).type('text/plain; charset=utf-8').send(body);
}

function textOf(error: unknown): { readonly status: number; readonly body: string } {
  if (error instanceof TusError || error instanceof TusHeaderError)
    return { status: error.status, body: error.message };
  if (error instanceof StorageError)
    return { status: storageErrors[error.entry].status, body: error.message };
  return { status: 500, body: 'Something went wrong with that request\n' };
}
