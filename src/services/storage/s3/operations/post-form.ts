/**
 * Handles browser forms that are posted to a bucket. A form contains fields with a signed policy, followed by the file.
 * See "POST Object" in the S3 API reference.
 */
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { onCutShort } from '../../../../base/shared/http/request-body.ts';
import type { StorageContext } from '../../context.ts';
import { defaultType } from '../../core/object-headers.ts';
import { Rejection, StorageError } from '../../errors.ts';
import { bucketLimits, checkUpload } from '../../object-limits.ts';
import { operations } from '../../operations.ts';
import type { Scope } from '../../scope.ts';
import { checkAndStore } from '../../write-object.ts';
import { authenticateText, openSignedScope } from '../authenticate.ts';
import { openFormFile } from '../body.ts';
import { encodePath } from '../core/encoding.ts';
import { type ObjectChecksum, wholeChecksum } from '../core/object-checksum.ts';
import { parsePolicy, sizeBounds, violatedField } from '../core/post-policy.ts';
import { algorithm } from '../core/signature.ts';
import { writeXml } from '../core/xml.ts';
import { S3Error } from '../errors.ts';
import { type S3Response, userMetadataOf } from '../operation.ts';
import { header, type S3Request } from '../request.ts';
import { etagOf } from './write-objects.ts';

/** The placeholder `${filename}`, which S3 allows in a form's key. */
const fileNamePlaceholder = /\$\{filename\}/g;
const maxFields = 100;
const maxFieldBytes = 64 * 1024;

interface Form {
  /** The form's fields, with their names in lower case as keys. */
  readonly fields: ReadonlyMap<string, string>;
  readonly file: Readable;
  readonly fileName: string;
  discard(): void;
}

export function isPostForm(request: S3Request): boolean {
  return (
    request.method === 'POST' &&
    request.key === '' &&
    header(request, 'content-type')?.startsWith('multipart/form-data') === true
  );
}

/**
 * Stores the file of a form.
 * @throws {S3Error} InvalidArgument, MissingSignature, SignatureDoesNotMatch, PolicyViolated, RequestExpired,
 * EntityTooSmall
 */
export async function postForm(ctx: StorageContext, request: S3Request): Promise<S3Response> {
  const form = await receiveForm(request);
  try {
    return await store(ctx, request, form);
  } catch (error) {
    form.discard();
    throw error;
  }
}

async function store(ctx: StorageContext, request: S3Request, form: Form): Promise<S3Response> {
  const { scope, minBytes, maxBytes: policyBytes } = await authorize(ctx, request, form);
  const { bucket } = request;
  const field = (name: string): string | undefined => form.fields.get(name);
  const key = (field('key') ?? '').replaceAll(fileNamePlaceholder, form.fileName);
  if (key.includes('\0')) throw new StorageError('InvalidKey');
  const limits = await bucketLimits(scope, bucket);
  const mimeType = field('content-type') ?? defaultType;
  const object = checkUpload(ctx, limits, { key, mimeType });
  const file = openFormFile(form.fields, form.file);
  const checksum = (): ObjectChecksum | undefined => {
    const sent = file.checksum();
    return sent && wholeChecksum(sent.algorithm, sent.value);
  };
  const row = await checkAndStore(ctx, scope, {
    ...object,
    maxBytes: Math.min(object.maxBytes, policyBytes),
    body: {
      bytes: atLeast(file.bytes, minBytes),
      mimeType,
      cacheControl: field('cache-control') ?? 'no-cache',
      robotsTag: undefined,
      userMetadata: userMetadataOf(form.fields),
      declaredLength: undefined,
      discard: form.discard,
    },
    owner: scope.owner,
    upsert: true,
    checksum,
  });
  return formResponse(request, key, etagOf(row), field('success_action_status'));
}

async function authorize(
  ctx: StorageContext,
  request: S3Request,
  { fields }: Form,
): Promise<{ scope: Scope; minBytes: number; maxBytes: number }> {
  const text = fields.get('policy');
  if (text === undefined || fields.get('x-amz-algorithm') !== algorithm)
    throw new S3Error('MissingSignature');
  const token = fields.get('x-amz-security-token');
  authenticateText(ctx, {
    text,
    credential: fields.get('x-amz-credential'),
    signature: fields.get('x-amz-signature'),
    token,
  });
  const policy = parsePolicy(text);
  if (!policy) throw new S3Error('InvalidPolicyDocument');
  if (ctx.clock.now() > policy.expiresAt) throw new S3Error('RequestExpired', 'The policy has expired');
  const violated = violatedField(policy, new Map([...fields, ['bucket', request.bucket]]));
  if (violated !== undefined)
    throw new S3Error('PolicyViolated', `The form does not satisfy its policy: ${violated.slice(0, 100)}`);
  const signatory = { token, isPresigned: true };
  const scope = await openSignedScope(ctx, request.fastify, operations.s3PutObject, signatory);
  return { scope, ...sizeBounds(policy) };
}

/**
 * Returns the response. As in upstream, the default status is 200 instead of AWS's 204. The form can request status 200
 * or 204, or status 201 with a description.
 */
function formResponse(
  request: S3Request,
  key: string,
  etag: string | undefined,
  requested: string | undefined,
): S3Response {
  const headers = { etag, location: `${request.path.replace(/\/$/, '')}/${encodePath(key)}` };
  if (requested === '204') return { status: 204, headers };
  if (requested !== '201') return { headers };
  const xml = writeXml('PostResponse', {
    Location: headers.location,
    Bucket: request.bucket,
    Key: key,
    ETag: etag,
  });
  return { status: 201, headers, xml };
}

async function* atLeast(bytes: AsyncIterable<Uint8Array>, minBytes: number): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const chunk of bytes) {
    sizeBytes += chunk.byteLength;
    yield chunk;
  }
  if (sizeBytes < minBytes) throw new S3Error('EntityTooSmall');
}

/** Reads the form up to the first byte of the file. Fields after the file are ignored. */
function receiveForm(request: S3Request): Promise<Form> {
  const { raw } = request.fastify;
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    let file: Readable | undefined;
    const discard = (): void => {
      raw.unpipe(parser);
      ignoreClose();
      raw.resume();
    };
    const fail = (error: unknown): void => {
      const message = error instanceof Error ? error.message : 'The form is incomplete';
      const rejection =
        error instanceof Rejection ? error : new S3Error('InvalidArgument', message, { cause: error });
      file?.destroy(rejection);
      discard();
      reject(rejection);
    };
    let parser: InstanceType<typeof Busboy>;
    try {
      parser = new Busboy({
        headers: request.headers as BusboyHeaders,
        limits: { fields: maxFields, files: 1, fieldSize: maxFieldBytes, headerPairs: 100 },
      });
    } catch (error) {
      raw.resume();
      reject(new S3Error('InvalidArgument', (error as Error).message, { cause: error }));
      return;
    }
    parser.on('field', (fieldName, value, _nameCut, valueCut) => {
      const name = fieldName.toLowerCase();
      // A field must not be repeated, because a second value could bypass the conditions that were checked for the
      // first value.
      if (fields.has(name) || valueCut)
        fail(new S3Error('InvalidArgument', `The field ${name} is too long or appears twice`));
      fields.set(name, value);
    });
    parser.on('file', (_name, stream, fileName) => {
      file = stream;
      // The consumer of the stream handles the stream's errors. Without this listener, an error before the stream is
      // consumed would crash the process.
      stream.on('error', () => undefined);
      resolve({ fields, file: stream, fileName: fileName ?? '', discard });
    });
    parser.on('error', fail);
    parser.on('finish', () => {
      ignoreClose();
      if (!file) fail(new S3Error('InvalidArgument', 'POST requires exactly one file upload per request.'));
    });
    const ignoreClose = onCutShort(raw, () => fail(new StorageError('RequestAborted')));
    raw.pipe(parser);
  });
}
