/** Builds Deno's command line and environment for one function. */
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FunctionSource } from '../catalog.ts';
import { errors, FunctionError } from '../errors.ts';

export const adapter = fileURLToPath(new URL('./adapter.js', import.meta.url));
const nodeFiles = fileURLToPath(new URL('./node-files.js', import.meta.url));
const heapMegabytes = 256;

export type InspectMode = 'run' | 'brk' | 'wait';

export interface RunOptions {
  readonly source: FunctionSource;
  readonly socketPath: string;
  /** A folder to which the function can write. */
  readonly temp: string;
  readonly cacheDir: string;
  /** The project files and package folders that the function can read. */
  readonly readable: readonly string[];
  /** Whether paths below `/tmp` are redirected in `node:fs` too. */
  readonly redirectsNodeFiles: boolean;
  /** Addresses, CIDR blocks and hosts to which the function can't connect. */
  readonly denyNet: readonly string[];
  /** Environment variables that Deno reads but that are hidden from the function. */
  readonly hiddenEnv: readonly string[];
  /** The loopback port on which the debugger listens. */
  readonly inspect?: { readonly mode: InspectMode; readonly port: number } | undefined;
}

const inspectFlags = { run: '--inspect', brk: '--inspect-brk', wait: '--inspect-wait' } as const;

/**
 * Returns the working directory and arguments of a worker.
 * @throws {FunctionError} boot, if a path can't be passed to Deno
 */
export function runArguments(options: RunOptions): { readonly cwd: string; readonly args: string[] } {
  const { source, socketPath, temp, inspect, denyNet } = options;
  // The function can read only the packages in the cache, because the rest of the cache contains other functions'
  // source code.
  const own = [adapter, join(options.cacheDir, 'npm'), temp, socketPath];
  // Deno splits the values of these flags at every comma (Deno 2.9.6 doesn't support escaping), but accepts paths
  // relative to its working directory. After Deno has started, the adapter changes the working directory to `temp`.
  const hasComma = [...own, ...options.readable].some((path) => path.includes(','));
  const cwd = hasComma ? dirname(source.entrypoint) : temp;
  const list = (paths: readonly string[]): string => paths.map((path) => required(path, cwd)).join(',');
  const readable = options.readable.flatMap((path) => fromFolder(path, cwd) ?? []);
  const args = [
    'run',
    '--no-prompt',
    ...importArguments(source, denyNet),
    `--preload=${adapter}`,
    ...(options.redirectsNodeFiles ? [`--preload=${nodeFiles}`] : []),
    `--v8-flags=--max-old-space-size=${heapMegabytes}`,
    '--allow-net',
    ...(denyNet.length > 0 ? [`--deny-net=${denyNet.join(',')}`] : []),
    '--allow-env',
    ...(options.hiddenEnv.length > 0 ? [`--ignore-env=${options.hiddenEnv.join(',')}`] : []),
    '--allow-import',
    `--allow-read=${list(own)}`,
    ...inFlags('--allow-read', readable),
    `--allow-write=${list([socketPath, temp])}`,
    '--allow-sys=hostname',
    ...(inspect === undefined ? [] : [`${inspectFlags[inspect.mode]}=127.0.0.1:${inspect.port}`]),
    source.entrypoint,
  ];
  return { cwd, args };
}

/**
 * Returns the environment. The environment includes variables that Deno and the adapter read but that the function
 * can't see.
 */
export function runEnvironment(options: RunOptions, showsErrors: boolean): Record<string, string> {
  return {
    ...importEnvironment(options.source, options.cacheDir),
    DENO_SERVE_ADDRESS: `unix:${options.socketPath}`,
    DENO_AUTO_SERVE: '1',
    NO_COLOR: '1',
    TMPDIR: options.temp,
    PLINTH_FUNCTION_ENTRYPOINT: options.source.entrypoint,
    ...(showsErrors ? { PLINTH_FUNCTION_SHOWS_ERRORS: '1' } : {}),
  };
}

/**
 * Returns the flags for resolving imports and for network restrictions. All Deno commands need these flags, because all
 * of them can download modules.
 */
export const importArguments = (source: FunctionSource, denyNet: readonly string[]): string[] => [
  '--no-lock',
  ...source.importFlags,
  ...(denyNet.length > 0 ? [`--deny-import=${denyNet.join(',')}`] : []),
];

export function importEnvironment(source: FunctionSource, cacheDir: string): Record<string, string> {
  return {
    DENO_DIR: cacheDir,
    DENO_NO_UPDATE_CHECK: '1',
    NO_COLOR: '1',
    ...(source.packageJson ? {} : { DENO_NO_PACKAGE_JSON: '1' }),
  };
}

/**
 * Returns the path. If the path contains a comma, it is converted to a path relative to the working directory. Returns
 * undefined if the path can't be passed to Deno.
 */
function fromFolder(path: string, cwd: string): string | undefined {
  const relativePath = path.includes(',') ? relative(cwd, path) || '.' : path;
  return relativePath.includes(',') ? undefined : relativePath;
}

function required(path: string, cwd: string): string {
  const relativePath = fromFolder(path, cwd);
  if (relativePath !== undefined) return relativePath;
  throw new FunctionError(errors.boot, {
    details: [`Deno doesn't support paths that contain a comma: ${path}`],
  });
}

/**
 * The maximum length of the paths in one flag. Linux limits a single argument to 128 KiB, so a flag with many paths is
 * repeated.
 */
const maxArgumentBytes = 64 * 1024;

function inFlags(flag: string, paths: readonly string[]): string[] {
  const flags: string[] = [];
  let current = '';
  for (const path of paths) {
    if (current !== '' && Buffer.byteLength(current) + Buffer.byteLength(path) > maxArgumentBytes) {
      flags.push(`${flag}=${current}`);
      current = '';
    }
    current = current === '' ? path : `${current},${path}`;
  }
  return current === '' ? flags : [...flags, `${flag}=${current}`];
}

/**
 * Returns the part of a glob pattern before its first wildcard, up to the last slash. Modules can import data files
 * below this path.
 */
export function globRoot(glob: string): string {
  const wild = glob.search(/[*?[{]/);
  return wild === -1 ? glob : glob.slice(0, glob.lastIndexOf('/', wild) + 1);
}
