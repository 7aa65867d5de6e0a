/**
 * The state that this server shares with the other nodes of its project. This module is loaded only by production
 * servers with an external database.
 */
import { createHash, randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '../../base/kernel/log.ts';
import { installedVersion } from '../../base/shared/files.ts';
import { createSealKey } from '../../base/shared/seal.ts';
import { type Config, savedFolder, shellEnvironment } from '../../platform/config/index.ts';
import type { Database, Queryable } from '../../platform/database/types.ts';
import {
  checkMembership,
  type GroupState,
  joinGroup,
  localState,
  type NodeStorage,
  type StateFiles,
} from '../../platform/group/index.ts';
import { createSecrets, keyFiles } from '../../platform/keys/index.ts';
import type { Modules } from './modules.ts';
import type { BackendOptions } from './types.ts';

interface GroupSettings {
  readonly options: Pick<BackendOptions, 'exclude' | 'port'>;
  readonly config: Config;
  readonly dataDir: string;
  readonly log: Logger;
}

/** Checks before the database is changed whether this node has the secret of the other nodes. */
export const examineGroup =
  ({ dataDir }: GroupSettings) =>
  (session: Queryable): Promise<void> =>
    checkMembership(session, { environment: shellEnvironment(), dataDir });

/** Replaces the outdated state files of this node, and creates those that no node has created yet. */
export async function openGroup(
  settings: GroupSettings,
  database: Database,
  { functions, console: consoleModule }: Modules,
): Promise<GroupState> {
  const { dataDir, log } = settings;
  if (!database.info.ownsSchemas) {
    log.info(
      { service: 'group' },
      "the state isn't shared with other nodes, because the database contains schemas that Plinth doesn't own",
    );
    return localState;
  }
  const { keyFile } = consoleModule;
  const files: StateFiles = {
    dataDir,
    files: [...keyFiles, keyFile, ...functions.stateFiles.files],
    folders: [savedFolder],
    indexes: { [functions.stateFiles.index]: functions.stateFiles.folders },
  };
  return await joinGroup({
    database,
    environment: shellEnvironment(),
    files,
    createMissing() {
      createSecrets(dataDir);
      for (const name of [keyFile, functions.stateFiles.keyFile]) createSealKey(join(dataDir, name));
    },
    node: {
      id: randomUUID(),
      name: nameOf(settings),
      version: installedVersion(),
      storage: storageOf(settings),
    },
    log,
  });
}

/** Several nodes can run on one machine, so the name contains the port. */
function nameOf({ config, options }: GroupSettings): string {
  const port = options.port ?? config.api.port;
  return port === 0 ? hostname() : `${hostname()}:${port}`;
}

function storageOf({ config, options, dataDir }: GroupSettings): NodeStorage {
  const { backend, s3 } = config.plinth.storage;
  if (!config.storage.enabled || options.exclude?.includes('storage')) return { kind: 'none', id: '' };
  if (backend === 'file') return { kind: 'file', id: folderId(join(dataDir, 'storage')) };
  const place = createHash('sha256').update(`${s3.endpoint ?? ''} ${s3.bucket ?? ''}`);
  return { kind: 's3', id: place.digest('hex') };
}

/** Returns the ID of the folder. Nodes that share the folder read the same file, so they get the same ID. */
function folderId(folder: string): string {
  const file = join(folder, 'folder-id');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomUUID()}.tmp`;
  writeFileSync(draft, `${randomUUID()}\n`, { mode: 0o600, flag: 'wx' });
  try {
    // Unlike a rename, a link never replaces a file that another node created first.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'utf8').trim();
}
