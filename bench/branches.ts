/**
 * Measures branches: how long it takes to copy a small database and one of 1 GiB, the first request to an idle branch,
 * and the memory that idle branches use in the project's process. Needs 4 GiB of disk space.
 *
 *     node bench/branches.ts [--json FILE]
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { sql } from '../src/base/kernel/sql.ts';
import { startBranchServers } from '../src/entry/cli/branch-servers.ts';
import { createBackend } from '../src/entry/main.ts';
import { buildPlinth } from './build.ts';
import { createReport } from './report.ts';

const { values } = parseArgs({ options: { json: { type: 'string' } } });
const report = createReport(values.json);
buildPlinth();
const program = fileURLToPath(new URL('../bin/plinth-built.mjs', import.meta.url));
const projectDir = mkdtempSync(join(tmpdir(), 'plinth-bench-branches-'));
mkdirSync(join(projectDir, 'supabase'));

const backend = await createBackend({
  projectDir,
  ...{ port: 0, dbPort: 0, mailPort: 0, consolePort: 0 },
  startBranchServer: startBranchServers({ projectDir, program }),
});
await backend.start();

interface Branch {
  readonly id: string;
  readonly status: string;
  readonly api_url: string;
}

/** Creates a branch, and returns it with the duration in milliseconds. */
async function create(name: string, more: object = {}): Promise<Branch & { readonly ms: number }> {
  const startedMs = performance.now();
  const input = { branch_name: name, with_data: true, ...more };
  let branch = (await backend.manage('createBranch', input)) as Branch;
  while (branch.status === 'CREATING_PROJECT')
    branch = (await backend.manage('findBranch', { name })) as Branch;
  if (branch.status !== 'FUNCTIONS_DEPLOYED') throw new Error(`The branch ${name} is ${branch.status}`);
  return { ...branch, ms: performance.now() - startedMs };
}

/** The unshared memory of this process in MiB, which only Linux reports. */
function privateMemory(): number {
  const text = readFileSync('/proc/self/smaps_rollup', 'utf8');
  return Number(/^Private_Dirty:\s+(\d+) kB/m.exec(text)?.[1]) / 1024;
}

try {
  const small = await create('small');
  report.add({ name: 'Copy of a small database', unit: 'ms', value: small.ms, limit: { most: 1000 } });
  const startedMs = performance.now();
  await (await fetch(`${small.api_url}/auth/v1/health`)).text();
  const firstMs = performance.now() - startedMs;
  report.add({ name: 'First request to an idle branch', unit: 'ms', value: firstMs });

  const before = privateMemory();
  const count = 5;
  for (let index = 0; index < count; index++) await create(`idle-${index}`);
  const each = Math.max(0, privateMemory() - before) / count;
  report.add({ name: 'Memory of an idle branch', unit: 'MiB', value: each, limit: { most: 15 } });

  await backend.database
    .pool('postgres')
    .query(
      sql`create table public.big as select i, repeat(md5(i::text), 30) as body from generate_series(1, 1000000) i`,
    );
  const big = await create('big');
  report.add({ name: 'Copy of a database of 1 GiB', unit: 's', value: big.ms / 1000, limit: { most: 10 } });
} finally {
  await backend.stop();
  rmSync(projectDir, { recursive: true, force: true, maxRetries: 5 });
}
