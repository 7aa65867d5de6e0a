/**
 * A Vite plugin that runs the project's backend while the development server runs, and passes the backend's address and
 * key to the app. The plugin works with every framework that uses Vite, such as SvelteKit.
 *
 * @example
 * // vite.config.ts
 * export default defineConfig({ plugins: [plinth(), react()] });
 */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

export interface PlinthPluginOptions {
  /** The folder that contains `supabase/`. Defaults to Vite's root or its nearest parent that contains `supabase/`. */
  readonly projectDir?: string;
  /** The API's port, which overrides the port in config.toml. With 0, all services use free ports. */
  readonly port?: number;
}

/** The parts of Vite's interfaces that this plugin uses. All versions of Vite since 5 have these parts. */
export interface PlinthPlugin {
  readonly name: string;
  readonly enforce: 'pre';
  readonly apply: 'serve';
  config(config: { readonly root?: string | undefined }, env: PlinthViteCommand): Promise<void>;
}

export interface PlinthViteCommand {
  readonly command: 'build' | 'serve';
  readonly isPreview?: boolean | undefined;
}

/**
 * Variables for the app, indexed by the field of `plinth status` that contains the value. Frameworks expose variables
 * with the prefixes VITE_ and PUBLIC_ to browsers.
 */
const variables: Readonly<Record<string, readonly string[]>> = {
  API_URL: ['VITE_SUPABASE_URL', 'PUBLIC_SUPABASE_URL', 'SUPABASE_URL'],
  ANON_KEY: ['VITE_SUPABASE_ANON_KEY', 'PUBLIC_SUPABASE_ANON_KEY', 'SUPABASE_ANON_KEY'],
  PUBLISHABLE_KEY: [
    'VITE_SUPABASE_PUBLISHABLE_KEY',
    'PUBLIC_SUPABASE_PUBLISHABLE_KEY',
    'SUPABASE_PUBLISHABLE_KEY',
  ],
};

/**
 * The running backends, by project. The backends keep running when Vite reloads its configuration because a file
 * changed.
 */
const shared = globalThis as { plinthServers?: Map<string, Promise<DevelopmentServer>> };
shared.plinthServers ??= new Map();
const servers = shared.plinthServers;

/** Prints the pages of the backend that a developer opens in a browser. Vite prints the address of the app itself. */
function printAddresses({ STUDIO_URL, MAILPIT_URL }: Readonly<Record<string, string>>): void {
  if (STUDIO_URL !== undefined)
    console.log(`[plinth] Console: ${STUDIO_URL} (run "npx plinth console" to sign in)`);
  if (MAILPIT_URL !== undefined) console.log(`[plinth] Inbox:   ${MAILPIT_URL}`);
}

export function plinth(options: PlinthPluginOptions = {}): PlinthPlugin {
  return {
    name: 'plinth',
    enforce: 'pre',
    apply: 'serve',
    // Sets the variables before Vite and frameworks such as SvelteKit read the environment. The variables aren't set in
    // Vitest, because tests have their own backends (`plinth/testing`).
    async config({ root }, command) {
      if (process.env.VITEST !== undefined || !isDevelopmentServer(command, process.argv[1])) return;
      const folder = options.projectDir ?? root ?? process.cwd();
      const key = JSON.stringify([folder, options.port]);
      const known = servers.get(key);
      const server = known ?? startDevelopmentServer(folder, options.port);
      servers.set(key, server);
      server.catch(() => servers.delete(key));
      const { status } = await server;
      if (known === undefined) printAddresses(status);
      for (const [field, names] of Object.entries(variables)) {
        if (status[field] === undefined) continue;
        for (const name of names) process.env[name] = status[field];
      }
    },
  } satisfies Plugin;
}

export default plinth;

/**
 * Svelte's type checker and language server resolve the configuration for `serve`, although they don't start a server.
 */
const checker = /[\\/]svelte-(?:check|language-server)(?:[\\/]|$)/;

/** `program` is the path to the script that Node runs. */
export const isDevelopmentServer = (
  { command, isPreview }: { readonly command: string; readonly isPreview?: boolean | undefined },
  program: string | undefined,
): boolean => command === 'serve' && isPreview !== true && !checker.test(program ?? '');

interface DevelopmentServer {
  /** The fields of `plinth status`, such as `API_URL`. */
  readonly status: Readonly<Record<string, string>>;
}

/**
 * Starts the backend of the project in `folder` or in its nearest parent folder that contains a project. If the backend
 * is already running, returns its status and doesn't stop it later.
 *
 * @throws {Error} with the output of `plinth start`
 */
async function startDevelopmentServer(folder: string, port?: number): Promise<DevelopmentServer> {
  const command = new URL('../../../bin/plinth.mjs', import.meta.url);
  const args = [fileURLToPath(command), 'start', '--json', '--follow'];
  if (port !== undefined) args.push('--port', String(port));
  const child = spawn(process.execPath, args, {
    cwd: resolve(folder),
    // The server stops when this pipe closes, which happens when this process ends for any reason.
    stdio: ['pipe', 'pipe', 'pipe'],
    windowsHide: true,
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
    for (const line of text.split('\n')) if (line.trim() !== '') console.error(`[plinth] ${line}`);
  });
  return await new Promise<DevelopmentServer>((ready, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`The backend didn't start:\n${errors.trim()}`)));
    child.stdout.on('data', (text: string) => {
      output += text;
      const line = /^\{.*\}$/m.exec(output)?.[0];
      if (line === undefined) return;
      for (const stream of [child.stdin, child.stdout, child.stderr]) {
        (stream as unknown as { unref?(): void }).unref?.();
      }
      child.unref();
      ready({ status: JSON.parse(line) as Record<string, string> });
    });
  });
}
