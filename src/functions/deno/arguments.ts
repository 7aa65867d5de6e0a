/** What Deno is told on its command line and in its environment, for one function. */
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FunctionSource } from '../catalog.ts';
import { errors, FunctionError } from '../errors.ts';

export const adapter = fileURLToPath(new URL('./adapter.js', import.meta.url));
const heapMegabytes = 256;

export type InspectMode = 'run' | 'brk' | 'wait';

export interface RunOptions {
  readonly source: FunctionSource;
  readonly socketPath: string;
  /** A folder that it may write to. */
  readonly temp: string;
  readonly cacheDir: string;
  readonly readable: readonly string[];
  /** Among them, what it may not read after all. */
  readonly unreadable: readonly string[];
  /** Where its debugger listens, on loopback. */
  readonly inspect?: { readonly mode: InspectMode; readonly port: number } | undefined;
}

const inspectFlags = { run: '--inspect', brk: '--inspect-brk', wait: '--inspect-wait' } as const;

/** Where a worker starts, and what it is told. @throws {FunctionError} boot, when a path cannot be told to Deno. */
export function runArguments(options: RunOptions): { readonly cwd: string; readonly args: string[] } {
  const { source, socketPath, temp, inspect } = options;
  const readable = [
    adapter,
    ...options.readable,
    ...source.staticFiles.map(globRoot),
    options.cacheDir,
    temp,
    socketPath,
  ];
  // Deno splits these flags at every comma (2.9.6 knows no escape), but takes paths from where it starts; the adapter goes to
  // `temp` from there.
  const hasComma = [...readable, ...options.unreadable].some((path) => path.includes(','));
  const cwd = hasComma ? dirname(source.entrypoint) : temp;
  const list = (paths: readonly string[]): string => paths.map((path) => fromFolder(path, cwd)).join(',');
  const args = [
    'run',
    '--no-prompt',
    ...importArguments(source),
    `--preload=${adapter}`,
    `--v8-flags=--max-old-space-size=${heapMegabytes}`,
    '--allow-net',
    '--allow-env',
    '--allow-import',
    `--allow-read=${list(readable)}`,
    ...(options.unreadable.length > 0 ? [`--deny-read=${list(options.unreadable)}`] : []),
    `--allow-write=${list([socketPath, temp])}`,
    '--allow-sys=hostname',
    ...(inspect === undefined ? [] : [`${inspectFlags[inspect.mode]}=127.0.0.1:${inspect.port}`]),
    source.entrypoint,
  ];
  return { cwd, args };
}

/** Over what the function is given: names that Deno and the adapter read, and hide. */
export function runEnvironment(options: RunOptions, showsErrors: boolean): Record<string, string> {
  return {
    ...importEnvironment(options.source, options.cacheDir),
    DENO_SERVE_ADDRESS: `unix:${options.socketPath}`,
    DENO_AUTO_SERVE: '1',
    NO_COLOR: '1',
    TMPDIR: options.temp,
    ...(showsErrors ? { PLINTH_FUNCTION_SHOWS_ERRORS: '1' } : {}),
  };
}

/** How modules are found, for every command of Deno. */
export const importArguments = (source: FunctionSource): string[] => ['--no-lock', ...source.importFlags];

export function importEnvironment(source: FunctionSource, cacheDir: string): Record<string, string> {
  return {
    DENO_DIR: cacheDir,
    DENO_NO_UPDATE_CHECK: '1',
    NO_COLOR: '1',
    ...(source.packageJson ? {} : { DENO_NO_PACKAGE_JSON: '1' }),
  };
}

function fromFolder(path: string, cwd: string): string {
  const told = path.includes(',') ? relative(cwd, path) || '.' : path;
  if (!told.includes(',')) return told;
  throw new FunctionError(errors.boot, { details: [`Deno cannot be given a path with a comma: ${path}`] });
}

/** The folder of a glob that holds no wildcard: what Deno is allowed to read. */
export function globRoot(glob: string): string {
  const wild = glob.search(/[*?[{]/);
  return wild === -1 ? glob : glob.slice(0, glob.lastIndexOf('/', wild) + 1);
}
