/**
 * Implements `plinth start --example`, which starts the included example project and its page. Vite's dev server serves
 * the page in a separate process (`example-page.ts`), so that Vite's modules aren't loaded into the server process.
 */
import { fork } from 'node:child_process';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Input, UsageError } from './command.ts';
import { CommandError } from './errors.ts';
import { say } from './output.ts';
import type { ProjectLocation } from './project-location.ts';
import type { Companion } from './run-server.ts';

const projectDir = fileURLToPath(new URL('../../../examples/live-board', import.meta.url));
const host = '127.0.0.1';
/** The port in the example's config.toml and README. */
const usualPort = 5173;

/** Returns the example project's location. @throws {UsageError} */
export function exampleLocation(input: Input): ProjectLocation {
  if (input.text('workdir') !== undefined)
    throw new UsageError("--example and --workdir can't be used together");
  return { projectDir, dataDir: resolve(input.text('data-dir') ?? join(projectDir, '.plinth')) };
}

/**
 * The example page. The page's URL must be known before the server starts, because the redirect rules must allow this
 * URL.
 */
export interface ExamplePage {
  readonly flags: Readonly<Record<string, string>>;
  start(status: Readonly<Record<string, string>>): Promise<Companion>;
}

/**
 * Prepares the example page. Returns undefined if `--example` isn't set.
 *
 * @throws {CommandError} if the requested port is in use
 */
export async function examplePage(
  input: Input,
  { dataDir }: ProjectLocation,
): Promise<ExamplePage | undefined> {
  const requested = input.port('example-port');
  if (!input.flag('example')) {
    if (requested === undefined) return undefined;
    throw new UsageError('--example-port requires --example');
  }
  const port = await choosePort(
    requested ?? (input.port('port') === 0 ? 0 : usualPort),
    requested !== undefined,
  );
  const url = `http://${host}:${port}`;
  return {
    flags: port === usualPort ? {} : { 'auth.site_url': url, 'plinth.account.sign_in_url': `${url}/sign-in` },
    start: (status) => startPage(url, dataDir, status),
  };
}

async function choosePort(requested: number, insisted: boolean): Promise<number> {
  const free = await probe(requested);
  if (free !== undefined) return free;
  if (insisted) {
    throw new CommandError(
      `Port ${requested} is in use by another program.`,
      'Use another port with --example-port, or 0 for a free port.',
    );
  }
  const other = (await probe(0)) as number;
  say(`Port ${requested} is in use by another program, so the example page uses port ${other}.`);
  return other;
}

/**
 * Returns the requested port if it is free. If the port is 0, returns any free port. Returns undefined if the port is
 * in use.
 */
function probe(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(port, host, () => {
      const address = server.address() as { port: number };
      server.close(() => resolve(address.port));
    });
  });
}

/** The only message that the process of the example page receives. */
export interface PageOrder {
  readonly root: string;
  readonly cacheDir: string;
  readonly host: string;
  readonly port: number;
  /** The values for the page's `import.meta.env`. */
  readonly env: Readonly<Record<string, string>>;
}

export type PageMessage = { readonly ready: true } | { readonly failed: string };

async function startPage(
  url: string,
  dataDir: string,
  { API_URL = '', PUBLISHABLE_KEY = '' }: Readonly<Record<string, string>>,
): Promise<Companion> {
  const child = fork(fileURLToPath(new URL('example-page.ts', import.meta.url)), [], {
    // Ignores the child process's output, because stdout is reserved for the command's result.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const order: PageOrder = {
    root: projectDir,
    // Each data folder has its own cache, because two example pages that run at the same time can't share a cache.
    cacheDir: join(dataDir, 'page'),
    host,
    port: Number(new URL(url).port),
    env: { VITE_SUPABASE_URL: API_URL, VITE_SUPABASE_KEY: PUBLISHABLE_KEY },
  };
  child.send(order);
  const response = await new Promise<PageMessage>((resolve) => {
    child.once('message', (message) => resolve(message as PageMessage));
    child.once('error', (error) => resolve({ failed: error.message }));
    void ended.then(() => resolve({ failed: 'its process exited' }));
  });
  if ('failed' in response) {
    child.kill();
    throw new CommandError(`Failed to start the example page: ${response.failed}`);
  }
  let stopping = false;
  void ended.then(() => {
    if (!stopping)
      say('The example page stopped, but Plinth keeps running. Restart Plinth to restart the page.');
  });
  return {
    fields: { EXAMPLE_URL: url },
    async stop() {
      stopping = true;
      // The child process exits when its channel to this process closes, so it also exits if this process is killed.
      if (child.connected) child.disconnect();
      const late = setTimeout(() => child.kill('SIGKILL'), 3000);
      await ended;
      clearTimeout(late);
    },
  };
}
