/**
 * The composition root, and the only file that knows everything:
 * config -> keys -> database -> services -> gateway.
 *
 * @example
 * const backend = await createBackend({ projectDir: process.cwd() });
 * await backend.start();
 * console.log(backend.url, backend.keys.publishableKey);
 * await backend.stop();
 */
import { join } from 'node:path';
import { type Config, loadConfig } from './config/index.ts';
import { createDatabase, type DatabaseOptions } from './database/index.ts';
import { migrations as databaseMigrations } from './database/migrations.ts';
import type { Database, MigrationSet } from './database/types.ts';
import { systemClock } from './kernel/clock.ts';
import type { Logger } from './kernel/log.ts';
import type { Service } from './kernel/service.ts';
import { createKeys, type Keys } from './keys/index.ts';

export interface BackendOptions {
  /** The folder that holds `supabase/`; the working directory by default. */
  readonly projectDir?: string;
  /** A ready configuration instead of the project's config.toml. */
  readonly config?: Config;
  /** Overrides config.toml; 0 picks a free one. */
  readonly port?: number;
  readonly dbPort?: number;
  readonly mailPort?: number;
  /** `.plinth/` in the project folder by default. */
  readonly dataDir?: string;
  /** Another PostgreSQL (15 or newer) instead of the embedded one. */
  readonly databaseUrl?: string;
  readonly mode?: 'development' | 'production';
  /** Services not to start. */
  readonly exclude?: readonly string[];
  readonly log?: Logger;
  /** What is being done, for anything that may take over a second. */
  readonly onProgress?: (message: string) => void;
}

export interface Backend {
  /** The public address, for example `http://127.0.0.1:54321`; known once started. */
  readonly url: string;
  readonly keys: Keys;
  readonly config: Config;
  readonly database: Database;
  /** Listens and prepares the project (migrations, seeds, buckets at the first start). */
  start(): Promise<void>;
  /** Finishes what is in flight and stops everything; the data stay. */
  stop(): Promise<void>;
  /** `fetch` with paths relative to {@link url}. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** The fields of `plinth status`, by their names. */
  status(): Record<string, string>;
  /** A fresh one-time sign-in link for an operator of the Console. */
  consoleLink(): Promise<string>;
}
