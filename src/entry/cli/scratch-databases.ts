/**
 * Empty databases that contain Plinth's schemas. Each database has its own PostgreSQL server, so the databases don't
 * affect a running Plinth server or its data. Databases on the same server would share roles and settings.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../platform/config/index.ts';
import { type Backend, createBackend, preparedCluster } from '../main.ts';
import { freePorts } from './operations.ts';
import { ensureDataDir } from './state.ts';

const stopTimeoutMs = 3_000;

export interface ScratchDatabases {
  /** Starts a server with an empty database. The caller must stop the server. */
  open(): Promise<Backend>;
  /**
   * Stops all running servers and deletes all files. Waits only briefly, because a server that is in use can't end its
   * sessions. Such a server shuts down when this process exits.
   */
  close(): Promise<void>;
}

/**
 * Each new server copies the prepared cluster. If there is none, the first server's files, which contain all of Plinth's
 * schemas, become the template of all databases.
 */
export function createScratchDatabases(projectDir: string): ScratchDatabases {
  const home = mkdtempSync(join(tmpdir(), 'plinth-scratch-'));
  const template = join(home, 'template');
  const { config } = loadConfig({ projectDir });
  const opened = new Set<Promise<Backend>>();
  const start = (dataDir: string): Promise<Backend> => {
    const starting = createBackend({ projectDir, dataDir, config, ...freePorts, durable: false });
    opened.add(starting);
    return starting;
  };
  let isClosed = false;
  let created: Promise<boolean> | undefined;
  /** Returns whether the template is needed. */
  const createTemplate = async (): Promise<boolean> => {
    if ((await preparedCluster(() => undefined)) !== undefined) return false;
    ensureDataDir(template);
    await (await start(template)).stop();
    return true;
  };
  return {
    async open() {
      created ??= createTemplate();
      const hasTemplate = await created;
      if (isClosed) throw new Error('The temporary databases are closed');
      const dataDir = join(home, String(opened.size));
      if (hasTemplate) cpSync(template, dataDir, { recursive: true, verbatimSymlinks: true });
      else ensureDataDir(dataDir);
      return await start(dataDir);
    },
    async close() {
      isClosed = true;
      const stopped = [...opened].map((starting) => starting.then((backend) => backend.stop()));
      await Promise.race([Promise.allSettled(stopped), sleep(stopTimeoutMs, undefined, { ref: false })]);
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
