/** Copies the state between the database and the files of this node. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/kernel/log.ts';
import type { Queryable } from '../database/types.ts';
import type { GroupCipher } from './cipher.ts';
import { type Decision, decide, type Recorded } from './decide.ts';
import { GroupError } from './errors.ts';
import type { FolderIndex, LocalState } from './local-state.ts';
import { packFolder, unpackFolder } from './packed-folder.ts';
import { deleteContent, readContent, readVersions, storeContent } from './queries.ts';

export interface Sides {
  readonly local: LocalState;
  readonly cipher: GroupCipher;
  readonly log: Logger;
}

export interface Pulled {
  /** The names of the files that were replaced. */
  readonly replaced: ReadonlySet<string>;
  /** The names of the files that have changed on this node and aren't stored yet. */
  readonly unstored: readonly string[];
  /** The versions in the database. */
  readonly stored: ReadonlyMap<string, Recorded>;
}

/** The version of all folders, because a folder never changes. */
const folderVersion = 1;

/**
 * Replaces the files that are older than the versions in the database, and records the versions.
 * @throws {GroupError} if a command keeps changing a file
 */
export async function pull(db: Queryable, sides: Sides): Promise<Pulled> {
  const { local } = sides;
  const stored = await readVersions(db);
  const names = new Set([...local.names(), ...[...stored.keys()].filter((name) => local.knows(name))]);
  const current = new Map<string, Recorded>();
  const replaced = new Set<string>();
  const unstored: string[] = [];
  try {
    for (const name of names) {
      const version = stored.get(name);
      const decision = await pullFile(db, sides, name, version);
      if (decision === 'push') unstored.push(name);
      else if (version !== undefined) current.set(name, version);
      if (decision === 'pull' || decision === 'conflict') replaced.add(name);
    }
  } finally {
    local.record(current);
  }
  return { replaced, unstored, stored };
}

/** How often and at which interval a file is compared again because a command is changing it. */
const maxTries = 20;
const retryMs = 50;

/** Returns what was decided about the file. */
async function pullFile(
  db: Queryable,
  sides: Sides,
  name: string,
  stored: Recorded | undefined,
): Promise<Decision> {
  const { local, cipher, log } = sides;
  for (let tries = 0; tries < maxTries; tries++) {
    const content = local.read(name);
    const recorded = local.recorded(name);
    const decision = decide(content && cipher.digest(name, content), recorded, stored);
    if (stored === undefined || decision === 'none' || decision === 'push') return decision;
    if (local.replace(name, content, await fetchFile(db, sides, name, stored))) {
      const file = local.pathOf(name);
      if (decision === 'conflict' && content !== undefined)
        log.warn({ file, keptAs: local.keepLost(name, content) }, changeLost);
      if (stored.version < (recorded?.version ?? 0))
        log.warn({ file }, 'the database contains an older version of a file, which replaces the newer one');
      return decision;
    }
    await sleep(retryMs);
  }
  throw new GroupError('busy');
}

const changeLost =
  "a file was changed on this node and on another one, so this node's change was discarded; make it again";

/** Returns the stored content of a file, and creates the folders to which it refers. */
async function fetchFile(
  db: Queryable,
  sides: Sides,
  name: string,
  { version, digest }: Recorded,
): Promise<Buffer | undefined> {
  const { local, cipher } = sides;
  if (digest === null) return undefined;
  const content = await fetchContent(db, cipher, name, version);
  const index = local.indexOf(name);
  for (const folder of index === undefined ? [] : foldersIn(index, content)) {
    if (!local.hasFolder(folder))
      await unpackFolder(await fetchContent(db, cipher, folder, folderVersion), local.pathOf(folder));
  }
  return content;
}

async function fetchContent(
  db: Queryable,
  cipher: GroupCipher,
  name: string,
  version: number,
): Promise<Buffer> {
  const row = await readContent(db, name);
  if (row?.version !== version || row.content === null)
    throw new Error(`_plinth.group_state doesn't contain version ${version} of ${name}.`);
  return cipher.open(name, version, row.content);
}

/**
 * Stores files of this node, and the folders to which they refer. Returns the new versions, which must be recorded
 * after the transaction has been committed.
 */
export async function push(
  db: Queryable,
  { local, cipher }: Omit<Sides, 'log'>,
  { names, stored }: { readonly names: readonly string[]; readonly stored: ReadonlyMap<string, Recorded> },
): Promise<Map<string, Recorded>> {
  const pushed = new Map<string, Recorded>();
  for (const name of names) {
    const content = local.read(name);
    // The number also increases if the database was replaced by an older copy.
    const version = Math.max(stored.get(name)?.version ?? 0, local.recorded(name)?.version ?? 0) + 1;
    const digest = content === undefined ? null : cipher.digest(name, content);
    const index = local.indexOf(name);
    if (index !== undefined && content !== undefined)
      await pushFolders(db, { local, cipher }, { index, content, stored });
    await storeContent(
      db,
      name,
      { version, digest },
      content === undefined ? null : cipher.close(name, version, content),
    );
    pushed.set(name, { version, digest });
  }
  return pushed;
}

/** Stores the folders that the database doesn't contain, and deletes those to which the file doesn't refer anymore. */
async function pushFolders(
  db: Queryable,
  { local, cipher }: Omit<Sides, 'log'>,
  given: {
    readonly index: FolderIndex;
    readonly content: Buffer;
    readonly stored: ReadonlyMap<string, Recorded>;
  },
): Promise<void> {
  const { index, content, stored } = given;
  const wanted = new Set(foldersIn(index, content));
  for (const name of wanted) {
    if (stored.has(name)) continue;
    const packed = await packFolder(local.pathOf(name));
    const row = { version: folderVersion, digest: cipher.digest(name, packed) };
    await storeContent(db, name, row, cipher.close(name, folderVersion, packed));
  }
  const unused = [...stored.keys()].filter((name) => name.startsWith(index.prefix) && !wanted.has(name));
  if (unused.length > 0) await deleteContent(db, unused);
}

/** @throws {Error} if a name isn't directly below the index's prefix */
function foldersIn(index: FolderIndex, content: Buffer): readonly string[] {
  const names = index.list(content);
  for (const name of names) {
    const last = name.startsWith(index.prefix) ? name.slice(index.prefix.length) : '';
    if (!/^[\w-]+$/.test(last)) throw new Error(`${name} isn't the name of a folder below ${index.prefix}`);
  }
  return names;
}
