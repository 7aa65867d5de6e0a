/**
 * Empty databases that contain Plinth's schemas. Each database has its own PostgreSQL server, so the databases don't
 * affect a running Plinth server or its data. Databases on the same server would share roles and settings.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../config/index.ts';
import { type Backend, createBackend } from '../main.ts';
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
 * Creates the first database with all of Plinth's schemas. The other databases are created by copying the first
 * database's files.
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
  let created: Promise<void> | undefined;
  const createTemplate = async () => {
    ensureDataDir(template);
    await (await start(template)).stop();
  };
  return {
    async open() {
      created ??= createTemplate();
      await created;
      if (isClosed) throw new Error('The temporary databases are closed');
      const dataDir = join(home, String(opened.size));
      cpSync(template, dataDir, { recursive: true, verbatimSymlinks: true });
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
