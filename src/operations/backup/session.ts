/** An open backup target, with the state that archiving rounds and base backups share. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Logger } from '../../base/kernel/log.ts';
import { replaceFile } from '../../base/kernel/replace-file.ts';
import type { Database } from '../../platform/database/types.ts';
import { type Archiver, startArchiver } from './archive/archiver.ts';
import { type Bodies, openBodies } from './bodies.ts';
import { reach, readManifests, readWalCatalog } from './catalog.ts';
import { BackupError } from './errors.ts';
import type { JournalFiles } from './journal.ts';
import { claimTarget, type Ownership } from './owner.ts';
import { systemIdentifier } from './queries.ts';
import { type CreateOptions, openRepository, type Repository } from './repository.ts';
import { readOperatorKey } from './seal/keys.ts';
import { type SnapshotSources, storeSnapshot } from './snapshot.ts';
import { openTarget } from './target/open.ts';
import type { Target } from './target/types.ts';
import type { BodyStore } from './types.ts';

export interface BackupSettings {
  readonly to: string | undefined;
  readonly encryption_key: string | undefined;
  readonly schedule: string;
  readonly keep: number;
  readonly wal: boolean;
  readonly max_rate: number;
  readonly access_key_id: string | undefined;
  readonly secret_access_key: string | undefined;
}

export interface BackupContext {
  /** The settings are read at each use, because the schedule and retention can change. */
  readonly settings: BackupSettings;
  readonly database: Database;
  readonly journal: JournalFiles;
  readonly store: BodyStore;
  readonly sources: SnapshotSources;
  /** The folder against which relative target folders are resolved. */
  readonly projectDir: string;
  readonly now: () => number;
  readonly log: Logger;
}

export interface Session {
  readonly repository: Repository;
  readonly bodies: Bodies;
  readonly rounds: Rounds;
  readonly ownership: Ownership;
  /** Undefined if the WAL isn't archived. */
  readonly archiver: Archiver | undefined;
  /** Whether WAL between the last base backup and the archiver's start is missing. */
  readonly hasGap: boolean;
  /** Stores the folder `supabase/` and the key files if any of these files has changed. */
  snapshot(): Promise<void>;
  close(): void;
}

/** Opens the repository of a configured target. @throws {BackupError} */
export async function openConfigured(
  settings: BackupSettings,
  projectDir: string,
  create?: CreateOptions,
): Promise<Repository> {
  const key = readOperatorKey(settings.encryption_key);
  return await openRepository(targetOf(settings, projectDir), key, create);
}

const targetOf = (settings: BackupSettings, projectDir: string): Target =>
  openTarget(settings.to ?? '', {
    baseDir: projectDir,
    accessKeyId: settings.access_key_id,
    secretAccessKey: settings.secret_access_key,
  });

/**
 * Rejects a backup target inside the folder `supabase/`, because each snapshot would otherwise contain all earlier
 * backups.
 * @throws {BackupError} target_in_project
 */
export function refuseTargetIn(folder: string, label: string): void {
  const path = relative(realPath(folder), realPath(label));
  const isOutside = path === '..' || path.startsWith(`..${sep}`) || resolve(path) === path;
  if (!isOutside) throw new BackupError('target_in_project', `(${label})`);
}

/** Resolves the symbolic links in a path that may not exist yet. */
function realPath(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const parent = dirname(path);
  return parent === path ? path : join(realPath(parent), path.slice(parent.length));
}

/**
 * Opens a session. Uploads missing object bodies before archiving starts, so that the archive never contains an
 * object's row without its body.
 */
export async function openSession(ctx: BackupContext, archives: boolean): Promise<Session> {
  const { database, settings, projectDir, journal, store, log } = ctx;
  const identifier = await systemIdentifier(database.pool('supabase_admin'));
  const { label } = targetOf(settings, projectDir);
  if (!label.startsWith('s3://')) refuseTargetIn(ctx.sources.supabaseDir, label);
  const known = knownTarget(ctx.sources.dataDir);
  const repository = await openConfigured(settings, projectDir, {
    systemIdentifier: identifier,
    isKnown: (label) => known.read() === label,
  });
  known.write(repository.label);
  let archiver: Archiver | undefined;
  try {
    const ownership = await claimTarget({ repository, dataDir: ctx.sources.dataDir, now: ctx.now });
    const bodies = await openBodies(repository, store, log);
    await bodies.uploadAll(database);
    archiver = archives ? await startArchiver(database, repository, ownership.id) : undefined;
    const hasGap = archiver !== undefined && (await lacksWal(repository, archiver));
    let fingerprint: string | undefined;
    return {
      repository,
      ownership,
      bodies,
      rounds: createRounds(journal, bodies, store),
      archiver,
      hasGap,
      async snapshot() {
        fingerprint = await storeSnapshot(repository, ctx.sources, ctx.now(), fingerprint);
      },
      close() {
        archiver?.close();
        repository.close();
      },
    };
  } catch (error) {
    archiver?.close();
    repository.close();
    throw error;
  }
}

/**
 * Records which target contains this data folder's backups. If the target is empty later, for example because it isn't
 * mounted, the server doesn't initialize it again.
 */
function knownTarget(dataDir: string): { read(): string | undefined; write(label: string): void } {
  const path = join(dataDir, 'backup', 'target');
  const read = (): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  return {
    read,
    write(label) {
      if (read() !== label) replaceFile(path, label);
    },
  };
}

async function lacksWal(repository: Repository, { timeline, start }: Archiver): Promise<boolean> {
  const last = (await readManifests(repository)).at(-1);
  if (last === undefined) return false;
  return last.timeline !== timeline || reach(await readWalCatalog(repository), last).end < start;
}

interface Rounds {
  /** Runs a round after the current round has ended. Returns the time up to which the archive is complete. */
  run(archiver: Archiver | undefined): Promise<number | undefined>;
}

/**
 * The archiver's rounds. Each round takes the received WAL, uploads all object bodies in the journal, and stores the
 * WAL. Only then does a round remove the object bodies of deleted rows.
 */
export function createRounds(journal: JournalFiles, bodies: Bodies, store: BodyStore): Rounds {
  let last: Promise<unknown> = Promise.resolve();
  const round = async (archiver: Archiver | undefined): Promise<number | undefined> => {
    const taken = await archiver?.take();
    const entries = journal.read();
    // Also uploads removed object bodies, because another process's journal file may have been read before that process
    // recorded that it had stored these bodies.
    await bodies.upload([...entries.stored, ...entries.removed]);
    const completeMs = await taken?.store();
    if (entries.removed.length > 0) await store.remove(entries.removed);
    entries.done();
    return completeMs;
  };
  return {
    run(archiver) {
      const next = last.then(() => round(archiver));
      last = next.catch(() => undefined);
      return next;
    },
  };
}
