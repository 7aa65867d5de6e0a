/** Receives a deployment as a multipart form that consists of the JSON field `metadata` and the function's files. */
import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { onCutShort } from '../../../base/shared/http/request-body.ts';
import { ManagementError } from './handlers.ts';

export interface Upload {
  readonly metadata: unknown;
  readonly files: readonly { readonly path: string; readonly content: Buffer }[];
}

const maxMetadataBytes = 256 * 1024;

/**
 * Reads the form. Keeps at most one byte more than the maximum size of a function in memory.
 * @throws {ManagementError}
 */
export function receiveUpload(
  raw: IncomingMessage,
  limits: { readonly bytes: number; readonly files: number },
): Promise<Upload> {
  return new Promise((resolve, reject) => {
    const files: { path: string; content: Buffer }[] = [];
    let metadata: string | undefined;
    let sizeBytes = 0;
    let parser: InstanceType<typeof Busboy>;
    function leave(): void {
      ignoreClose();
      raw.unpipe(parser);
      // The rest of the body is discarded so that the client can finish sending the body and receive the response.
      raw.resume();
    }
    function fail(error: unknown): void {
      leave();
      files.length = 0;
      reject(
        error instanceof ManagementError
          ? error
          : new ManagementError(400, `Invalid form: ${(error as Error).message}`),
      );
    }
    const tooLarge = (): void =>
      fail(new ManagementError(413, `A function can have at most ${limits.bytes / 2 ** 20} MiB of files.`));

    try {
      parser = new Busboy({
        headers: raw.headers as BusboyHeaders,
        preservePath: true,
        limits: {
          fields: 10,
          files: limits.files + 2,
          fileSize: limits.bytes + 1,
          fieldSize: maxMetadataBytes,
          headerPairs: 100,
        },
      });
    } catch (error) {
      raw.resume();
      reject(new ManagementError(400, `Invalid form: ${(error as Error).message}`));
      return;
    }
    parser.on('field', (name, value, _nameCut, isCut) => {
      if (name !== 'metadata') return;
      if (isCut) fail(new ManagementError(413, 'metadata is too long.'));
      metadata = value;
    });
    parser.on('file', (name, stream, path) => {
      const chunks: Buffer[] = [];
      // Some clients send `metadata` as a file of the type application/json.
      const isMetadata = name === 'metadata';
      let metadataBytes = 0;
      stream.on('error', () => undefined);
      stream.on('data', (chunk: Buffer) => {
        if (isMetadata) metadataBytes += chunk.length;
        else sizeBytes += chunk.length;
        if (sizeBytes > limits.bytes) return tooLarge();
        if (metadataBytes > maxMetadataBytes) return fail(new ManagementError(413, 'metadata is too long.'));
        chunks.push(chunk);
      });
      stream.on('end', () => {
        const content = Buffer.concat(chunks);
        if (isMetadata) metadata = content.toString();
        else files.push({ path: path ?? '', content });
      });
    });
    parser.on('filesLimit', () =>
      fail(new ManagementError(413, `A function can have at most ${limits.files} files.`)),
    );
    parser.on('error', fail);
    parser.on('finish', () => {
      leave();
      try {
        resolve({ metadata: parseMetadata(metadata), files });
      } catch (error) {
        reject(error);
      }
    });
    const ignoreClose = onCutShort(raw, () => fail(new ManagementError(400, 'The upload was interrupted.')));
    raw.pipe(parser);
  });
}

function parseMetadata(text: string | undefined): unknown {
  if (text === undefined) throw new ManagementError(400, 'The form has no field metadata.');
  try {
    return JSON.parse(text);
  } catch {
    throw new ManagementError(400, "metadata isn't valid JSON.");
  }
}
