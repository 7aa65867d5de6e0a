/**
 * A Vite plugin that runs the project's backend while the development server runs, and passes its address and key to
 * the app. Works with every framework on Vite, such as SvelteKit.
 *
 * @example
 * // vite.config.ts
 * export default defineConfig({ plugins: [plinth(), react()] });
 */
import type { Plugin } from 'vite';
import { type DevelopmentServer, startDevelopmentServer } from './development-server.ts';

export interface PlinthPluginOptions {
  /** The folder that contains `supabase/`. Defaults to Vite's root or its nearest parent with such a folder. */
  readonly projectDir?: string;
  /** The port of the API, instead of the one in config.toml. With 0, all services use free ports. */
  readonly port?: number;
}

/** The parts of Vite's interfaces that this plugin uses, which all versions from 5 have. */
export interface PlinthPlugin {
  readonly name: string;
  readonly enforce: 'pre';
  readonly apply: 'serve';
  configureServer(server: PlinthViteServer): Promise<void>;
}

export interface PlinthViteServer {
  readonly config: {
    readonly root: string;
    readonly envPrefix?: string | string[] | undefined;
    readonly env: Record<string, unknown>;
  };
}

/**
 * Variables for the app, by the field of `plinth status`. Frameworks expose variables with the prefixes VITE_ and
 * PUBLIC_ to browsers.
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
 * The running backend by project. Vite reloads its configuration when a file changes, but the backend keeps running.
 */
const shared = globalThis as { plinthServers?: Map<string, Promise<DevelopmentServer>> };
shared.plinthServers ??= new Map();
const servers = shared.plinthServers;

export function plinth(options: PlinthPluginOptions = {}): PlinthPlugin {
  return {
    name: 'plinth',
    enforce: 'pre',
    apply: 'serve',
    // This hook isn't called by tools that only read the configuration, such as type checkers. Vitest has its own
    // backends (`plinth/testing`).
    async configureServer({ config }) {
      if (process.env.VITEST !== undefined) return;
      const folder = options.projectDir ?? config.root;
      const key = JSON.stringify([folder, options.port]);
      const known = servers.get(key);
      const server = known ?? startDevelopmentServer(folder, options.port);
      servers.set(key, server);
      server.catch(() => servers.delete(key));
      const { status } = await server;
      const prefixes = [config.envPrefix ?? 'VITE_'].flat();
      for (const [field, names] of Object.entries(variables)) {
        for (const name of names) {
          if (status[field] === undefined) continue;
          process.env[name] = status[field];
          // Vite has read the environment, but hasn't transformed any code that refers to it.
          if (prefixes.some((prefix) => name.startsWith(prefix))) config.env[name] = status[field];
        }
      }
    },
  } satisfies Plugin;
}

export default plinth;
