/** Runs functions with the given sources and limits behind a gateway, without a database. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { spaciousDisk } from '../../src/base/kernel/disk.ts';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { configFrom, createLiveConfig, type PartialConfig } from '../../src/platform/config/index.ts';
import { createKeys, type KeyStore } from '../../src/platform/keys/index.ts';
import { createGateway } from '../../src/server/gateway/index.ts';
import { defaultLimits, type Limits } from '../../src/services/functions/core/limits.ts';
import { createFunctions, type FunctionsService } from '../../src/services/functions/index.ts';

export interface FunctionsWorld {
  readonly root: string;
  readonly supabaseDir: string;
  readonly url: string;
  /** The authorization header with the anon key. */
  readonly authorization: string;
  readonly functions: FunctionsService;
  readonly keys: KeyStore;
  /** Sends a request with the anon key. The path begins with the slug. */
  call(path: string, init?: RequestInit): Promise<Response>;
  write(path: string, text: string): void;
  /** Returns the function's output and the server's messages about the function. */
  lines(slug: string): string[];
  stop(): Promise<void>;
}

export interface WorldOptions {
  /**
   * The source code of each file, by path relative to the project folder. A name without a folder stands for the
   * entrypoint of the function with this name.
   */
  readonly files: Readonly<Record<string, string>>;
  readonly config?: PartialConfig;
  readonly limits?: Partial<Limits>;
  readonly isDevelopment?: boolean;
  /** `production` uses generated keys, which can be rotated. Defaults to the well-known keys. */
  readonly keyMode?: 'development' | 'production';
  /** The machine's environment. Defaults to empty. */
  readonly shell?: Readonly<Record<string, string>>;
}

export async function functionsWorld(options: WorldOptions): Promise<FunctionsWorld> {
  const root = mkdtempSync(join(tmpdir(), 'plinth-functions-'));
  const supabaseDir = join(root, 'supabase');
  const dataDir = join(root, '.plinth');
  const write = (path: string, text: string): void => {
    const file = path.includes('/') ? join(root, path) : join(supabaseDir, 'functions', path, 'index.ts');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  mkdirSync(dataDir);
  for (const [path, text] of Object.entries(options.files)) write(path, text);
  const config = configFrom(options.config ?? {}, supabaseDir);
  const keys = createKeys({ mode: options.keyMode ?? 'development', config, supabaseDir, dataDir });
  let url = '';
  const functions = createFunctions({
    database: {
      info: {
        url: 'postgresql://x',
        projectUrl: 'postgresql://x',
        embedded: true,
        serverVersion: 180000,
        ownsSchemas: true,
      },
    },
    keys,
    config: createLiveConfig(config),
    shell: options.shell ?? {},
    supabaseDir,
    dataDir,
    disk: spaciousDisk,
    apiUrl: () => url,
    ownCertificate: undefined,
    isDevelopment: options.isDevelopment ?? false,
    limits: { ...defaultLimits, ...options.limits },
    log: silentLogger,
  });
  const gateway = createGateway({
    services: [functions],
    keys,
    log: silentLogger,
  });
  await functions.start?.();
  url = `http://127.0.0.1:${await gateway.listen('127.0.0.1', 0)}`;
  const authorization = `Bearer ${keys.anonKey}`;
  return {
    root,
    supabaseDir,
    url,
    authorization,
    functions,
    keys,
    call: (path, init = {}) =>
      fetch(`${url}/functions/v1/${path}`, {
        ...init,
        headers: { authorization, ...(init.headers as Record<string, string>) },
      }),
    write,
    lines: (slug) => functions.logs.recent({ function: slug }).map(({ line }) => line),
    async stop() {
      await gateway.close(1000);
      await functions.stop?.();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
