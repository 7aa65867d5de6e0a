/** An encrypted backup target. Reads and writes complete files by name. */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import { firstCause } from '../../base/shared/errors.ts';
import { targetInfoName } from './core/names.ts';
import { BackupError } from './errors.ts';
import { open, seal } from './seal/frames.ts';
import { deriveWrappingKey } from './seal/keys.ts';
import type { StoredFile, Target } from './target/types.ts';

export interface Repository {
  readonly label: string;
  /** The identifier that PostgreSQL assigned to the cluster that the backups belong to. */
  readonly systemIdentifier: string;
  write(name: string, plain: AsyncIterable<Uint8Array>, options?: WriteOptions): Promise<void>;
  writeBytes(name: string, plain: Uint8Array, options?: WriteOptions): Promise<void>;
  /** Stores a small file unless it exists. Returns whether it was stored. See {@link Target.create}. */
  createBytes(name: string, plain: Uint8Array): Promise<boolean>;
  /**
   * Returns undefined if the file doesn't exist. Reading the returned iterable also throws `damaged` if the content is
   * damaged.
   * @throws {BackupError} damaged
   */
  read(name: string): Promise<AsyncIterable<Buffer> | undefined>;
  /** Reads a small file. Returns undefined if the file doesn't exist. @throws {BackupError} damaged */
  readBytes(name: string): Promise<Buffer | undefined>;
  list(prefix: string): AsyncIterable<StoredFile>;
  remove(name: string): Promise<void>;
  /** Removes the incomplete files of interrupted writes that began before this time. */
  removeUnfinished(beforeMs: number): Promise<void>;
  close(): void;
}

export interface WriteOptions {
  /** Whether to compress the content. False for content that is usually compressed already. */
  readonly compress?: boolean;
}

interface TargetInfo {
  readonly format: number;
  readonly id: string;
  readonly systemIdentifier: string;
  /** A value that proves that the key belongs to the target and that this file is unchanged. */
  readonly proof: string;
}

const format = 1;
/** The size limit for the file that describes the target, because the file is read before it can be authenticated. */
const maxInfoBytes = 64 * 1024;
/** The fastest level. Higher compression levels would save little additional space and would slow down the server. */
const compressionLevel = 1;
const batchBytes = 256 * 1024;

export interface CreateOptions {
  /**
   * The identifier that PostgreSQL assigned to the running cluster. An empty target is initialized for this cluster.
   */
  readonly systemIdentifier: string;
  /**
   * Whether the target with this label is known to have contained backups. A target that has contained backups is never
   * initialized again.
   */
  readonly isKnown: (label: string) => boolean;
}

/**
 * Opens a target.
 * @throws {BackupError} target_empty, target_lost, target_foreign, target_newer, or damaged, which is also thrown if
 * the key is wrong
 */
export async function openRepository(
  target: Target,
  operatorKey: Buffer,
  create?: CreateOptions,
): Promise<Repository> {
  const found = await readInfo(target);
  if (found === undefined && create === undefined) throw new BackupError('target_empty', `(${target.label})`);
  if (found === undefined && create?.isKnown(target.label))
    throw new BackupError('target_lost', `(${target.label})`);
  const info = found ?? (await initialize(target, operatorKey, create?.systemIdentifier ?? ''));
  const wrappingKey = deriveWrappingKey(operatorKey, info.id);
  if (!timingSafeEqual(Buffer.from(proofOf(info, wrappingKey)), padded(info.proof)))
    throw new BackupError('damaged', 'The encryption key may belong to another target.');
  if (create !== undefined && info.systemIdentifier !== create.systemIdentifier)
    throw new BackupError('target_foreign', `(${target.label})`);
  return sealedBy(target, wrappingKey, info.systemIdentifier);
}

/**
 * Describes an empty target. If another process does so at the same time, returns that process's description, because
 * each description has a different ID, from which the keys of all files are derived.
 */
async function initialize(
  target: Target,
  operatorKey: Buffer,
  systemIdentifier: string,
): Promise<TargetInfo> {
  const id = randomUUID();
  const info = signed({ id, systemIdentifier }, deriveWrappingKey(operatorKey, id));
  await target.create(targetInfoName, Buffer.from(JSON.stringify(info)));
  return (await readInfo(target)) ?? info;
}

function sealedBy(target: Target, wrappingKey: Buffer, systemIdentifier: string): Repository {
  const sealed = (name: string, plain: AsyncIterable<Uint8Array>, compress = true): AsyncIterable<Buffer> =>
    seal(compress ? compressed(plain) : plain, { wrappingKey, name, isCompressed: compress });
  const repository: Repository = {
    label: target.label,
    systemIdentifier,
    write: (name, plain, { compress } = {}) => target.write(name, sealed(name, plain, compress)),
    writeBytes: (name, plain, options) => repository.write(name, Readable.from([plain]), options),
    createBytes: async (name, plain) =>
      target.create(name, await wholeOf(sealed(name, Readable.from([plain])))),
    async read(name) {
      const sealed = await target.read(name);
      if (sealed === undefined) return undefined;
      try {
        const { isCompressed, bytes } = await open(sealed, { wrappingKey, name });
        return named(isCompressed ? decompressed(bytes) : bytes, name);
      } catch (error) {
        throw withName(error, name);
      }
    },
    async readBytes(name) {
      const bytes = await repository.read(name);
      return bytes && (await wholeOf(bytes));
    },
    list: (prefix) => target.list(prefix),
    remove: (name) => target.remove(name),
    removeUnfinished: (beforeMs) => target.removeUnfinished(beforeMs),
    close: () => target.close(),
  };
  return repository;
}

/** Compresses a stream. Passes the source's errors to the reader. */
function compressed(plain: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  const zstd = createZstdCompress({
    params: { [constants.ZSTD_c_compressionLevel]: compressionLevel },
    chunkSize: batchBytes,
  });
  return through(inBatches(plain), zstd);
}

/** Passes a source through a stream. If the source fails, the reader receives the source's error. */
async function* through(source: AsyncIterable<Uint8Array>, stream: Transform): AsyncGenerator<Buffer> {
  const cause = firstCause();
  pipeline(Readable.from(cause.watch(source)), stream, () => undefined);
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw cause.of(error);
  }
}

/** Joins small chunks, because copying a chunk is cheaper than passing each chunk to the compression thread. */
async function* inBatches(plain: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let batch: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of plain) {
    batch.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes < batchBytes) continue;
    yield Buffer.concat(batch, sizeBytes);
    batch = [];
    sizeBytes = 0;
  }
  if (sizeBytes > 0) yield Buffer.concat(batch, sizeBytes);
}

function decompressed(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Buffer> {
  return through(bytes, createZstdDecompress());
}

async function* named(bytes: AsyncIterable<Buffer>, name: string): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    throw withName(error, name);
  }
}

/** Adds the name of the damaged file to the error, so that the operator knows which file is affected. */
function withName(error: unknown, name: string): unknown {
  const isDamage =
    (error instanceof BackupError && error.code === 'damaged') ||
    /^(Z_|ZSTD_)/.test((error as NodeJS.ErrnoException).code ?? '');
  return isDamage ? new BackupError('damaged', `(${name})`, error) : error;
}

/** Reads the whole stream. @throws {BackupError} damaged if the stream has more than `maxBytes` */
async function wholeOf(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > maxBytes) throw new BackupError('damaged');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function readInfo(target: Target): Promise<TargetInfo | undefined> {
  const bytes = await target.read(targetInfoName);
  if (bytes === undefined) return undefined;
  const text = (await wholeOf(bytes, maxInfoBytes)).toString('utf8');
  let info: Partial<TargetInfo>;
  try {
    info = JSON.parse(text) as Partial<TargetInfo>;
  } catch (cause) {
    throw new BackupError('damaged', undefined, cause);
  }
  if (typeof info?.format === 'number' && info.format > format) throw new BackupError('target_newer');
  const isWhole = [info?.id, info?.systemIdentifier, info?.proof].every((value) => typeof value === 'string');
  if (!isWhole || info.format !== format) throw new BackupError('damaged');
  return info as TargetInfo;
}

function signed(info: Pick<TargetInfo, 'id' | 'systemIdentifier'>, wrappingKey: Buffer): TargetInfo {
  return { format, ...info, proof: proofOf(info, wrappingKey) };
}

const proofOf = (
  { id, systemIdentifier }: Pick<TargetInfo, 'id' | 'systemIdentifier'>,
  key: Buffer,
): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([format, id, systemIdentifier]))
    .digest('hex');

/** Pads or truncates text to 64 bytes, the length of a proof, so that proofs can be compared in constant time. */
const padded = (text: string): Buffer => {
  const bytes = Buffer.alloc(64);
  bytes.write(text.slice(0, 64), 'latin1');
  return bytes;
};
