/**
 * Stores the project folder `supabase/`, the deployed functions and the data folder's key files as a tar archive
 * whenever any of these files changes.
 */
import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pack } from 'tar-stream';
import { firstCause } from '../../base/shared/errors.ts';
import { snapshotFolder, snapshotName, timeOfName } from './core/names.ts';
import type { Repository } from './repository.ts';

export interface SnapshotSources {
  readonly dataDir: string;
  readonly supabaseDir: string;
}

/** Folders that are skipped, because they contain installed or generated files. */
const skippedFolders = new Set(['node_modules', '.git', '.temp', '.branches']);
/** The data folder's subfolder that contains deployed functions. A restore creates a subfolder with the same name. */
export const deployedFolder = 'deployed';
/** The size above which a file in a project folder isn't considered a source file. */
const maxFileBytes = 64 * 1024 * 1024;

interface Found {
  /** The file's name in the archive: `keys/…`, `deployed/…` or `supabase/…`. */
  readonly name: string;
  readonly path: string;
  readonly stamp: string;
}

/** Stores a snapshot if the files have changed since `previous`. Returns the fingerprint of the files. */
export async function storeSnapshot(
  repository: Repository,
  sources: SnapshotSources,
  nowMs: number,
  previous: string | undefined,
): Promise<string> {
  const files = [
    ...(await keyFiles(sources.dataDir)),
    ...(await filesBelow(join(sources.dataDir, deployedFolder), deployedFolder, new Set())),
    ...(await filesBelow(sources.supabaseDir, 'supabase', skippedFolders)),
  ];
  const fingerprint = createHash('sha256')
    .update(JSON.stringify(files.map(({ name, stamp }) => [name, stamp])))
    .digest('hex');
  if (fingerprint !== previous) await repository.write(snapshotName(nowMs), archiveOf(files));
  return fingerprint;
}

/**
 * Returns the name of the newest snapshot that was taken at or before this time. If no snapshot is that old, returns
 * the first snapshot.
 */
export async function findSnapshot(repository: Repository, timeMs: number): Promise<string | undefined> {
  const times: number[] = [];
  for await (const { name } of repository.list(snapshotFolder)) {
    const time = timeOfName(name, snapshotFolder);
    if (time !== undefined) times.push(time);
  }
  times.sort((a, b) => a - b);
  const time = times.findLast((one) => one <= timeMs) ?? times[0];
  return time === undefined ? undefined : snapshotName(time);
}

/**
 * Returns all files directly in the data folder, except lock files, the state file, temporary files, restore markers
 * and the file with the access token for another server. Excludes the data folder's subfolders, because they contain
 * data, caches and logs.
 */
async function keyFiles(dataDir: string): Promise<Found[]> {
  const names = (await entriesOf(dataDir)).filter((entry) => entry.isFile()).map(({ name }) => name);
  const keys = names.filter(
    (name) =>
      !/^(lock\b.*|state\.json.*|\.gitignore|.*\.tmp|restore-unfinished|restored-copy|take-over-backups|remote\.json)$/.test(
        name,
      ),
  );
  return present(keys.map((name) => ({ name: `keys/${name}`, path: join(dataDir, name) })));
}

async function filesBelow(dir: string, prefix: string, skipped: ReadonlySet<string>): Promise<Found[]> {
  const found: Found[] = [];
  for (const entry of await entriesOf(dir)) {
    const [name, path] = [`${prefix}/${entry.name}`, join(dir, entry.name)];
    if (entry.isDirectory() && !skipped.has(entry.name))
      found.push(...(await filesBelow(path, name, skipped)));
    if (entry.isFile()) found.push(...(await present([{ name, path }])));
  }
  return found;
}

async function entriesOf(dir: string): Promise<Dirent[]> {
  const entries = await readdir(dir, { withFileTypes: true }).catch(emptyIfMissing);
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function present(files: readonly Omit<Found, 'stamp'>[]): Promise<Found[]> {
  const found: Found[] = [];
  for (const file of files) {
    const facts = await lstat(file.path).catch(() => undefined);
    if (facts === undefined || facts.size > maxFileBytes) continue;
    found.push({ ...file, stamp: `${facts.size} ${facts.mtimeMs} ${facts.ino}` });
  }
  return found;
}

async function* archiveOf(files: readonly Found[]): AsyncGenerator<Buffer> {
  // Loaded only when needed, because every server loads this module.
  const { pack } = await import('tar-stream');
  const archive = pack();
  const filled = (async () => {
    for (const { name, path } of files) {
      const content = await readFile(path).catch(() => undefined);
      if (content !== undefined) await addEntry(archive, name, content);
    }
    archive.finalize();
  })();
  const cause = firstCause();
  filled.catch((error: Error) => {
    cause.note(error);
    archive.destroy(error);
  });
  try {
    yield* archive as AsyncIterable<Buffer>;
  } catch (error) {
    // If the archive was destroyed before it is read, it reports a different error.
    throw cause.of(error);
  }
  await filled;
}

/** Resolves when the entry's bytes have been read, so that only one file is in memory. */
function addEntry(archive: Pack, name: string, content: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const entry = archive.entry({ name, mode: 0o600, size: content.length }, (error) =>
      error ? reject(error) : resolve(),
    );
    entry.end(content);
  });
}

function emptyIfMissing(error: NodeJS.ErrnoException): Dirent[] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
