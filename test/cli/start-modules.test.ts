/**
 * Limits the code that the server loads before it is ready, because loading code is the largest part of the startup
 * time ([decision 9](../../docs/decisions/0009-start.md)). Measures sizes rather than times, because the time depends on
 * the machine.
 */
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { makeProject } from '../config/project-folder.ts';
import { plinth, spawnPlinth } from './run-plinth.ts';

// The timeout is long, because the test starts a server twice.
const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The maximum size of the files that a start loads. On a machine with two cores, a start with 3.1 MiB of code needed 0.3
 * s of CPU time and 57 MiB of private memory, and an earlier version with 5.8 MiB needed 0.38 s and 89 MiB. The S3
 * protocol and SAML, 0.13 MiB with their XML parser, are loaded by their first requests.
 */
const maxKiB = 3300;

/** The packages that a start loads, in addition to the packages that these packages need. All other packages are lazy. */
const neededPackages: Readonly<Record<string, string>> = {
  'toml-eslint-parser': 'reads config.toml',
  croner: 'checks schedules in config.toml',
  pino: 'writes the log',
  fastify: 'serves HTTP',
  ws: 'serves WebSockets',
  '@fastify/busboy': 'parses uploads',
};

/** The builtin modules of Node that a start must not load. */
const lazyBuiltins = ['tls', 'https', 'http2', 'sqlite', 'inspector', 'repl', 'test'];

/** The files of `src` that a start must not load, because they are needed only for some requests or settings. */
const lazySources = [
  /^src\/operations\//,
  /^src\/project\/(?:advisors|baseline|diff|migrate)\//,
  /^src\/pages\/console\/(?:[\w-]+\/)?(?:\w+-)?(?:contract|routes)\.ts$/,
  /^src\/server\/cluster\//,
  /^src\/services\/storage\/s3\/operations\//,
  /^src\/services\/auth\/sso\/saml\//,
];

interface Loaded {
  readonly builtins: readonly string[];
  readonly files: readonly string[];
  /** The source files, relative to the root folder. The source maps list the files of each bundle. */
  readonly sources: readonly string[];
}

/** Starts a server for the second time, because the first start also loads code that creates the database. */
async function loadedByStart(): Promise<Loaded> {
  const cwd = makeProject({ 'supabase/config.toml': 'project_id = "modules"' });
  await plinth(['start', '--detach', '--port', '0'], { cwd });
  await plinth(['stop'], { cwd });
  const list = join(cwd, 'loaded-modules');
  const preload = pathToFileURL(join(import.meta.dirname, 'loaded-modules.mjs'));
  const child = spawnPlinth(['start', '--port', '0', '--json'], {
    cwd,
    env: { NODE_OPTIONS: `--import ${preload}`, LOADED_MODULES: list },
  });
  await once(child.stdout ?? child, 'data');
  const urls = readFileSync(list, 'utf8').trim().split('\n');
  child.kill('SIGINT');
  await once(child, 'exit');
  const files = new Set(urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url)));
  return {
    builtins: urls.filter((url) => url.startsWith('node:')).map((url) => url.slice('node:'.length)),
    files: [...files],
    sources: [...files].flatMap(sourcesOf).map((path) => path.slice(root.length)),
  };
}

function sourcesOf(file: string): string[] {
  if (!file.startsWith(join(root, 'dist'))) return [file];
  // The bundler's own helper functions have no source.
  if (!existsSync(`${file}.map`)) return [];
  const map = JSON.parse(readFileSync(`${file}.map`, 'utf8')) as { readonly sources: readonly string[] };
  return map.sources.map((source) => resolve(dirname(file), source));
}

/** Returns the packages that a package needs, directly or indirectly. */
function dependenciesOf(names: readonly string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    if (found.has(name)) continue;
    found.add(name);
    const manifest = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
    dependenciesOf(Object.keys((manifest as { dependencies?: object }).dependencies ?? {}), found);
  }
  return found;
}

test('a start loads only code that every server needs', async () => {
  const { builtins, files, sources } = await loadedByStart();

  const packages = sources.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  const needed = dependenciesOf(Object.keys(neededPackages));
  expect.soft([...new Set(packages)].filter((name) => !needed.has(name))).toEqual([]);
  expect.soft(Object.keys(neededPackages).filter((name) => !packages.includes(name))).toEqual([]);

  // The bundle contains these packages, except for two small files that Fastify loads from another package.
  const unbundled = files.filter((path) => path.includes('/node_modules/'));
  expect.soft(unbundled.filter((path) => !path.includes('/fast-json-stringify/lib/'))).toEqual([]);

  expect.soft(builtins.filter((name) => lazyBuiltins.includes(name))).toEqual([]);
  expect.soft(sources.filter((path) => lazySources.some((lazy) => lazy.test(path)))).toEqual([]);

  const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
  expect.soft(bytes / 1024).toBeLessThan(maxKiB);
  expect.soft(sources.length).toBeGreaterThan(500);
});
