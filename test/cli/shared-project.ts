/** Starts a project that all tests of a file share, because starting a project takes seconds. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseConnectionString } from '../../src/platform/database/index.ts';
import { Client } from '../../src/platform/database/wire/index.ts';
import { plinth, plinthInHook, type Result } from './run-plinth.ts';

export interface SharedProject {
  readonly cwd: string;
  /** The fields that `start --json` printed. */
  readonly status: Readonly<Record<string, string>>;
  /** Runs a command in the project folder. */
  run(args: readonly string[], options?: { readonly stdin?: string; readonly cwd?: string }): Promise<Result>;
  write(path: string, content: string | Uint8Array): string;
  /** Runs statements in the project's database, without a command. */
  exec(text: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the project. Call this function in `beforeAll`, and `stop` in `afterAll`. */
export async function startSharedProject(
  files: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<SharedProject> {
  const parent = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  const cwd = join(parent, 'my-project');
  const write = (path: string, content: string | Uint8Array) => {
    const file = join(cwd, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const started = await plinthInHook(['start', '--detach', '--port', '0', '--json', ...args], { cwd });
  if (started.status !== 0) throw new Error(`plinth start failed: ${started.stderr}`);
  const status = JSON.parse(started.stdout) as Record<string, string>;
  return {
    cwd,
    status,
    run: (line, options) => plinth(line, { cwd, ...options }),
    write,
    async exec(text) {
      const client = await Client.connect(parseConnectionString(status.DB_URL ?? ''));
      try {
        await client.exec(text);
      } finally {
        await client.connection.close();
      }
    },
    async stop() {
      await plinthInHook(['stop', '--no-backup'], { cwd });
      rmSync(parent, { recursive: true, force: true });
    },
  };
}
