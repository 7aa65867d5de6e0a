/** Reads a function's module graph from Deno and caches the graph until one of its files changes. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { FunctionSource } from '../catalog.ts';
import { checkGraph, type DenoInfo, type GraphRules, type ModuleGraph } from '../core/module-graph.ts';
import { globRoot, importArguments, importEnvironment } from './arguments.ts';

export interface GraphOptions {
  readonly deno: string;
  readonly cacheDir: string;
  readonly denyNet: () => readonly string[];
  readonly rules: Pick<GraphRules, 'projectDir' | 'dataDir'>;
  readonly environment: (source: FunctionSource) => Readonly<Record<string, string>>;
  /** Called with the files of a function each time the function's module graph is read. */
  readonly onRead: (files: readonly string[]) => void;
}

export interface Graphs {
  /**
   * Returns a function's module graph. Deno downloads modules that aren't in its cache. Returns undefined if Deno
   * fails. The reason is then reported when the function runs.
   */
  of(source: FunctionSource): Promise<ModuleGraph | undefined>;
  /**
   * Returns the slugs of the functions whose modules or import configuration include one of the files. Only functions
   * whose module graph has been read are considered.
   */
  usersOf(files: ReadonlySet<string>): string[];
}

interface Known {
  readonly stamp: string;
  readonly graph: ModuleGraph;
  readonly watched: readonly string[];
}

/** Deno's output for a graph with hundreds of packages can be several megabytes of JSON. */
const maxOutputBytes = 64 * 1024 * 1024;
const timeoutMs = 60_000;

export function createGraphs(options: GraphOptions): Graphs {
  const known = new Map<string, Known>();
  const rulesOf = (source: FunctionSource): GraphRules => ({
    ...options.rules,
    staticRoots: source.staticFiles.map(globRoot),
    root: source.root === undefined ? undefined : realPath(source.root),
    realPath,
  });
  return {
    async of(source) {
      const before = known.get(source.slug);
      if (before !== undefined && before.stamp === stampOf(source, before.watched)) return before.graph;
      const info = await ask(options, source);
      if (info === undefined) return undefined;
      const graph = checkGraph(info, rulesOf(source));
      const watched = withTargets([...graph.files, ...source.importFiles]);
      known.set(source.slug, { graph, watched, stamp: stampOf(source, watched) });
      // The files of a deployed function never change.
      if (source.root === undefined) options.onRead(watched);
      return graph;
    },
    usersOf: (files) =>
      [...known].filter(([, { watched }]) => watched.some((file) => files.has(file))).map(([slug]) => slug),
  };
}

/**
 * Returns a string that changes whenever one of the files changes. The string contains each file's path, size and
 * modification time. Missing files are included, because they could be created later.
 */
function stampOf(source: FunctionSource, files: readonly string[]): string {
  const times = files.map((file) => {
    const facts = statSync(file, { throwIfNoEntry: false });
    return facts === undefined ? `${file}:` : `${file}:${facts.mtimeMs}:${facts.size}`;
  });
  return JSON.stringify([source.entrypoint, source.importFlags, source.staticFiles, times]);
}

/** Whether one of the files contains the path `/tmp`. Files that can't be read are skipped. */
export function mentionsTmp(files: readonly string[]): boolean {
  return files.some((file) => {
    try {
      return /\/tmp\b/.test(readFileSync(file, 'utf8'));
    } catch {
      return false;
    }
  });
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Adds the targets of symbolic links, because a change to a target is reported with the target's real path. */
function withTargets(files: readonly string[]): string[] {
  const targets = files.map((file) => realPath(join(realPath(dirname(file)), basename(file))));
  return [...new Set([...files, ...targets])];
}

function ask(options: GraphOptions, source: FunctionSource): Promise<DenoInfo | undefined> {
  // The cache folder contains the functions' source code. If Deno created the folder, all users could read it.
  mkdirSync(options.cacheDir, { recursive: true, mode: 0o700 });
  const args = ['info', '--json', ...importArguments(source, options.denyNet()), source.entrypoint];
  const env = { ...options.environment(source), ...importEnvironment(source, options.cacheDir) };
  const limits = { maxBuffer: maxOutputBytes, timeout: timeoutMs, windowsHide: true };
  return new Promise((resolve) => {
    execFile(options.deno, args, { env, ...limits }, (error, stdout) => {
      try {
        resolve(error === null ? (JSON.parse(stdout) as DenoInfo) : undefined);
      } catch {
        resolve(undefined);
      }
    });
  });
}
