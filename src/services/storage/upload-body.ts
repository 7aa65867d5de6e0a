/** Receives an upload, which is either raw bytes, or the first file of a multipart form and the fields before it. */

import type { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { onCutShort } from '../../base/shared/http/request-body.ts';
import { type ByteStream, networkStream } from './byte-stream.ts';
import { defaultType, isHeaderText, isValidRobotsTag } from './core/object-headers.ts';
import { maxUserMetadataBytes, parseMetadataField, parseMetadataHeader } from './core/user-metadata.ts';
import { StorageError } from './errors.ts';

export interface UploadBody {
  readonly bytes: ByteStream;
  readonly mimeType: string;
  readonly cacheControl: string;
  readonly robotsTag: string | undefined;
  readonly userMetadata: Record<string, unknown> | undefined;
  /**
   * The declared length of the whole request, including the form encoding. Policies can read this length as
   * `contentLength`.
   */
  readonly declaredLength: number | undefined;
  /** The declared length of the file. Undefined if the file is part of a form. */
  readonly fileLength?: number | undefined;
  /** Discards the rest of the body so that the connection can be used for the response and the next request. */
  discard(): void;
}

/**
 * Reads the request up to the first byte of the file.
 * @throws {StorageError} NoContentProvided, InvalidRequest, RequestAborted, UserMetadataTooLarge, InvalidRobotsTag
 */
export async function receiveUpload(raw: IncomingMessage): Promise<UploadBody> {
  const robotsTag = textHeader(raw, 'x-robots-tag');
  if (robotsTag !== undefined && !isValidRobotsTag(robotsTag)) {
    throw new StorageError('InvalidRobotsTag', `Invalid X-Robots-Tag header: ${robotsTag.slice(0, 200)}`);
  }
  const contentType = raw.headers['content-type'];
  if (contentType?.startsWith('multipart/form-data')) return receiveForm(raw, robotsTag);

  const declaredLength = declaredLengthOf(raw);
  return {
    // If the reader stops early, the socket must stay open because the response is sent over it.
    bytes: networkStream(raw.iterator({ destroyOnReturn: false })),
    mimeType: contentType ?? defaultType,
    cacheControl: raw.headers['cache-control'] ?? 'no-cache',
    robotsTag,
    userMetadata: parseMetadataHeader(textHeader(raw, 'x-metadata')),
    declaredLength,
    fileLength: declaredLength,
    discard: () => raw.resume(),
  };
}

function receiveForm(raw: IncomingMessage, robotsTag: string | undefined): Promise<UploadBody> {
  return new Promise((resolve, reject) => {
    const fields = new Map<string, string>();
    let file: Readable | undefined;
    const fail = (error: unknown): void => {
      const message = error instanceof Error ? error.message : 'The form is incomplete';
      const rejection =
        error instanceof StorageError ? error : new StorageError('InvalidRequest', message, { cause: error });
      file?.destroy(rejection);
      discard();
      reject(rejection);
    };
    const discard = (): void => {
      raw.unpipe(parser);
      ignoreClose();
      raw.resume();
    };

    let parser: InstanceType<typeof Busboy>;
    try {
      parser = new Busboy({
        headers: raw.headers as BusboyHeaders,
        limits: { fields: 10, files: 1, fieldSize: maxUserMetadataBytes + 1, headerPairs: 100 },
      });
    } catch (error) {
      raw.resume();
      reject(new StorageError('InvalidRequest', (error as Error).message, { cause: error }));
      return;
    }
    const partTypes = watchPartTypes(parser);
    parser.on('field', (name, value) => {
      if (name !== '' && !fields.has(name)) fields.set(name, value);
    });
    parser.on('file', (_name, stream, ...[, , partType]) => {
      file = stream;
      // The consumer of the stream handles its errors. Without this listener, an error before the stream is consumed
      // would crash the process.
      stream.on('error', () => undefined);
      const metadata = fields.get('metadata') ?? fields.get('userMetadata');
      if (metadata !== undefined && Buffer.byteLength(metadata) > maxUserMetadataBytes) {
        fail(new StorageError('UserMetadataTooLarge'));
        return;
      }
      const cacheTime = fields.get('cacheControl');
      resolve({
        // The parser returns slices of network chunks instead of copies. A slice owns its memory only if it spans a
        // whole chunk.
        bytes: networkStream(stream),
        mimeType: fields.get('contentType') || partTypes.current || partType,
        cacheControl: cacheTime && isHeaderText(cacheTime) ? `max-age=${cacheTime}` : 'no-cache',
        robotsTag,
        userMetadata: parseMetadataField(metadata),
        declaredLength: declaredLengthOf(raw),
        discard,
      });
    });
    parser.on('error', fail);
    parser.on('finish', () => {
      ignoreClose();
      if (!file) fail(new StorageError('NoContentProvided'));
    });
    const ignoreClose = onCutShort(raw, () => fail(new StorageError('RequestAborted')));
    raw.pipe(parser);
  });
}

function declaredLengthOf(raw: IncomingMessage): number | undefined {
  const header = raw.headers['content-length'];
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
}

function textHeader(raw: IncomingMessage, name: string): string | undefined {
  const value = raw.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The parser's parser of parts, which isn't part of its types. */
interface FormParser {
  readonly _parser?: { readonly parser?: EventEmitter };
}

type PartHeader = Readonly<Record<string, readonly string[] | undefined>>;

/**
 * Reads the complete Content-Type header of the parts of a multipart form. The form parser passes on only the media
 * type, in lowercase and without parameters such as the charset. `current` is the header of the part whose `file` event
 * is being emitted.
 */
function watchPartTypes(parser: InstanceType<typeof Busboy>): {
  readonly current: string | undefined;
} {
  const types: { current: string | undefined } = { current: undefined };
  // The first listener of a part's header runs before the form parser's own listener, which emits the `file` event.
  (parser as unknown as FormParser)._parser?.parser?.prependListener('part', (part: EventEmitter) => {
    part.on('header', (header: PartHeader) => {
      types.current = header['content-type']?.[0]?.trim() || undefined;
    });
  });
  return types;
}

/**
 * Converts `error` to RequestAborted if the disconnection of the client caused it. Such failures are common and aren't
 * server errors. Returns any other error unchanged.
 */
export function nameAbort(raw: IncomingMessage, error: unknown): unknown {
  if (raw.errored === null || error !== raw.errored) return error;
  return new StorageError('RequestAborted', undefined, { cause: error });
}
