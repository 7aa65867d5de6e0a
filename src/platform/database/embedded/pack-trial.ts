/**
 * Tries a pack in a disposable PostgreSQL before a project uses it, because a library that was built for another
 * processor would end a backend, and PostgreSQL would then disconnect all sessions. The result is stored beside the
 * pack, once per processor.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { PackageError } from '../../packages/index.ts';
import type { KnownPack } from '../../packs/index.ts';
import { commandAs } from './identity.ts';
import { initialize } from './initdb.ts';
import { chooseLocation, makeDataDir } from './location.ts';
import { serverEnvironment } from './server.ts';

/** The statements that use each pack, including the functions with variants for different processors. */
const statements: Readonly<Record<string, string>> = {
  vector: `create table t (v vector(64), h halfvec(64), b bit(64));
insert into t select array_agg(i * n)::real[]::vector, array_agg(i)::real[]::halfvec, n::bigint::bit(64) from generate_series(1, 64) i, generate_series(1, 50) n group by n;
create index on t using hnsw (v vector_l2_ops);
create index on t using ivfflat (h halfvec_cosine_ops) with (lists = 2);
select count(*), sum(v <-> v), sum(v <=> v), sum(v <#> v), sum(v <+> v), sum(h <-> h), sum(h <=> h), sum(b <~> b), sum(b <%> b) from t;
set enable_seqscan = off;
select v <-> '[1]' from (select '[1]'::vector as v) as one;
select b from t order by v <-> (select v from t limit 1) limit 5;`,
};

const passed = 'plinth trial passed';
const crashed = 'PostgreSQL ended with';
const timeLimitMs = 60_000;

/** @throws {PackageError} if the pack doesn't run on this machine */
export async function tryPack(
  pack: KnownPack,
  source: string,
  onProgress: (message: string) => void,
): Promise<void> {
  const file = join(source, `trial-${machineKey()}`);
  const known = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (known === undefined) onProgress(`Trying the extension ${pack.name} on this machine`);
  const result = known ?? (await run(pack, source));
  // Other failures, such as a full disk, may be temporary.
  if (known === undefined && (result === passed || result.startsWith(crashed))) store(file, result);
  if (result === passed) return;
  throw new PackageError(
    `The extension ${pack.name} ${pack.version} doesn't run on this machine's processor: ${result}`,
    [
      `Name a folder that contains the extension in [database] extension_folders of plinth.toml, or use a PostgreSQL server that has it with --database-url.`,
    ],
  );
}

/** The packs in an image may belong to another user, so the result can't always be stored. */
function store(file: string, result: string): void {
  try {
    writeFileSync(file, result);
  } catch {
    // The pack is tried again at the next start.
  }
}

/** Machines with the same key run the same instructions. */
function machineKey(): string {
  const processor = `${process.arch} ${cpus()[0]?.model ?? ''} ${processorFlags()}`;
  return createHash('sha256').update(processor).digest('hex').slice(0, 16);
}

function processorFlags(): string {
  try {
    return /^(flags|Features)\s*:.*$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[0] ?? '';
  } catch {
    return '';
  }
}

/** Returns {@link passed}, or the reason why the trial failed. */
async function run(pack: KnownPack, source: string): Promise<string> {
  const work = makeDataDir(mkdtempSync(join(tmpdir(), 'plinth-trial-')));
  try {
    const { identity, binaries, pgdata, home } = chooseLocation(work);
    await initialize(binaries, identity, pgdata, { durable: false, superuserPassword: 'trial' });
    // The cache may be in a folder that the server's user can't enter.
    const copy = join(home, 'pack');
    mkdirSync(copy, { mode: 0o755 });
    for (const part of ['extension', 'lib'])
      cpSync(join(source, part), join(copy, part), { recursive: true });
    const { file, args, ids } = commandAs(identity, binaries.postgres, [
      '--single',
      ...['-D', pgdata],
      ...['-c', `extension_control_path=${copy}${delimiter}$system`],
      ...['-c', `dynamic_library_path=${join(copy, 'lib')}${delimiter}$libdir`],
      'postgres',
    ]);
    const child = spawn(file, args, {
      ...ids,
      cwd: '/',
      env: serverEnvironment(),
      timeout: timeLimitMs,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let output = '';
    const collect = (text: string) => {
      output += text;
    };
    child.stdout.setEncoding('utf8').on('data', collect);
    child.stderr.setEncoding('utf8').on('data', collect);
    // A server that ends early doesn't read the statements.
    child.stdin.on('error', () => undefined);
    child.stdin.end(`create extension ${pack.name};\n${statements[pack.name] ?? ''}\nselect '${passed}';\n`);
    const ended = await new Promise<string>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
    const fault = /^.*\b(ERROR|FATAL|PANIC):.*$/m.exec(output)?.[0];
    if (fault === undefined && output.includes(`"${passed}"`)) return passed;
    return fault ?? `${crashed} ${ended}`;
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
}
