/** Takes base backups and stores them in the backup target. */
import { randomBytes } from 'node:crypto';
import type { BaseBackupEnd, BaseBackupPart, Database } from '../../platform/database/types.ts';
import type { BaseManifest } from './catalog.ts';
import { baseFile, newBackupId } from './core/names.ts';
import { BackupError } from './errors.ts';
import { currentPosition } from './queries.ts';
import type { Repository } from './repository.ts';

interface BaseBackupOptions {
  readonly database: Database;
  readonly repository: Repository;
  /** The maximum rate at which PostgreSQL's files are read, in bytes per second. */
  readonly maxRate: number;
  readonly nowMs: number;
  /** Uploads the snapshot and the object bodies of all rows. Called after PostgreSQL's files have been stored. */
  readonly complete: () => Promise<void>;
}

/** The minimum and maximum that PostgreSQL accepts for MAX_RATE, in KiB per second. */
const rateBounds = [32, 1024 * 1024] as const;

/**
 * Takes a base backup. Resolves when the backup is complete and listed. If the backup fails, removes the backup's
 * files.
 */
export async function takeBaseBackup(options: BaseBackupOptions): Promise<BaseManifest> {
  const { database, repository, nowMs } = options;
  const id = newBackupId(nowMs, randomBytes(3).toString('hex'));
  const connection = await database.connectReplication();
  try {
    await connection.command(slotCommand(id));
    const parts = createPartStream(connection);
    const running = connection
      .baseBackup(command(id, options.maxRate), (part) => parts.push(part))
      .then(
        (end) => {
          parts.end();
          return end;
        },
        (error: Error) => {
          parts.end(error);
          throw error;
        },
      );
    running.catch(() => undefined);
    const counted = count(parts.next());
    await repository.write(baseFile(id, 'data'), counted.bytes);
    await repository.write(baseFile(id, 'pg-manifest'), parts.next());
    const end = await running;
    if (parts.archives > 1) throw new BackupError('tablespaces');
    await options.complete();
    return await finish(options, id, end, counted.total());
  } catch (error) {
    connection.destroy();
    await removeFiles(repository, id);
    throw error;
  } finally {
    connection.destroy();
  }
}

/**
 * Removes a backup's files. Removes the manifest first, so that the list never contains an incomplete backup. If the
 * target doesn't respond, the files remain until expired backups are next removed.
 */
async function removeFiles(repository: Repository, id: string): Promise<void> {
  try {
    for (const file of ['manifest', 'pg-manifest', 'data'] as const)
      await repository.remove(baseFile(id, file));
  } catch {
    // This error is ignored because the caller throws the backup's error, which is more useful.
  }
}

/**
 * Returns the command that creates a temporary slot, which retains the backup's WAL until PostgreSQL reads it at the
 * end of the backup. The archiver's slot doesn't retain the backup's WAL, because that slot advances continuously. The
 * temporary slot is dropped when the connection closes.
 */
function slotCommand(id: string): string {
  const name = `plinth_base_${id.toLowerCase().replaceAll('-', '_')}`;
  return `CREATE_REPLICATION_SLOT ${name} TEMPORARY PHYSICAL RESERVE_WAL`;
}

/**
 * Returns the BASE_BACKUP command. The backup includes the WAL that PostgreSQL writes during the backup, so it can be
 * restored without the archive.
 */
function command(id: string, maxRate: number): string {
  const rate = Math.min(Math.max(Math.floor(maxRate / 1024), rateBounds[0]), rateBounds[1]);
  return (
    `BASE_BACKUP (LABEL 'plinth ${id}', CHECKPOINT 'fast', WAL true, WAIT false, ` +
    `MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256', MAX_RATE ${rate})`
  );
}

async function finish(
  { database, repository, nowMs }: BaseBackupOptions,
  id: string,
  end: BaseBackupEnd,
  sizeBytes: number,
): Promise<BaseManifest> {
  const { timeMs } = await currentPosition(database.pool('supabase_admin'));
  let storedBytes = 0;
  for await (const file of repository.list(`base/${id}/`)) storedBytes += file.sizeBytes;
  const manifest: BaseManifest = {
    id,
    startedAtMs: nowMs,
    endedAtMs: timeMs,
    sizeBytes,
    storedBytes,
    serverVersion: database.info.serverVersion,
    ...end,
  };
  await repository.writeBytes(baseFile(id, 'manifest'), Buffer.from(JSON.stringify(manifest)));
  return manifest;
}

function count(bytes: AsyncIterable<Buffer>): { readonly bytes: AsyncGenerator<Buffer>; total(): number } {
  let total = 0;
  return {
    bytes: (async function* () {
      for await (const chunk of bytes) {
        total += chunk.length;
        yield chunk;
      }
    })(),
    total: () => total,
  };
}

/** The maximum number of buffered bytes. If more bytes are buffered, PostgreSQL must wait. */
const heldBytes = 8 * 1024 * 1024;

interface PartStream {
  /** Adds a part of the backup that has been received. The caller must pass this function to `baseBackup`. */
  push(part: BaseBackupPart): void;
  /** Must be called when the backup has ended or failed. */
  end(error?: Error): void;
  /** The number of archives, one per tablespace. */
  readonly archives: number;
  /** At the first call, yields the bytes of the archive. At the second call, yields the manifest. */
  next(): AsyncGenerator<Buffer>;
}

/** Splits BASE_BACKUP's output into the archive's bytes and the manifest's bytes. */
export function createPartStream(flow: { pause(): void; resume(): void }): PartStream {
  const parts: BaseBackupPart[] = [];
  let held = 0;
  let isPaused = false;
  let archives = 0;
  let ended = false;
  let failure: Error | undefined;
  let wake: (() => void) | undefined;

  const signal = (): void => {
    wake?.();
    wake = undefined;
  };
  return {
    get archives() {
      return archives;
    },
    push(part) {
      if (part.kind === 'archive') archives += 1;
      parts.push(part);
      if (part.kind === 'data') held += part.bytes.length;
      if (held > heldBytes && !isPaused) {
        isPaused = true;
        flow.pause();
      }
      signal();
    },
    end(error) {
      ended = true;
      failure = error;
      signal();
    },
    async *next() {
      for (;;) {
        const part = parts.shift();
        if (part === undefined) {
          if (failure !== undefined) throw failure;
          if (ended) return;
          const { promise, resolve } = Promise.withResolvers<void>();
          wake = resolve;
          await promise;
          continue;
        }
        if (part.kind === 'manifest') return;
        if (part.kind === 'archive') continue;
        held -= part.bytes.length;
        if (isPaused && held < heldBytes / 2) {
          isPaused = false;
          flow.resume();
        }
        yield part.bytes;
      }
    },
  };
}
