/**
 * Measures backups with `node bench/backup.ts [SIZE_MIB] [folder|s3]`. Backs up to a folder and to an S3 server on the
 * same machine. Prints how fast clients write in three situations: without backups, while changes are archived, and
 * while a base backup runs. Also prints how many writes are lost if the machine fails, and how long it takes to restore
 * a database of the given size.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  differences,
  makeProject,
  type Project,
  type RunningServer,
  readAll,
  run,
  startServer,
  startWriter,
} from '../test/backup/server.ts';
import { startS3 } from './backup/s3-process.ts';

const sizeMib = Number(process.argv[2] ?? 1024);
const kinds = process.argv[3] === undefined ? ['folder', 's3'] : [process.argv[3]];
const clients = 8;
/**
 * The size of the database for the throughput measurements. A small database ensures that each measurement covers a
 * whole base backup.
 */
const smallMib = 96;
const rounds = 5;
const windowMs = 8000;

/** Returns the number of rows per second that clients write at full speed until `until` resolves. */
async function throughput(url: string, until: Promise<unknown>): Promise<number> {
  let isOver = false;
  let rows = 0;
  const startedMs = performance.now();
  void until.finally(() => {
    isOver = true;
  });
  const write = async (client: number): Promise<void> => {
    const session = new pg.Client(url);
    await session.connect();
    while (!isOver) {
      await session.query('insert into public.load (client, n) values ($1, $2)', [client, rows++]);
    }
    await session.end();
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => write(client)));
  return rows / ((performance.now() - startedMs) / 1000);
}

async function fill(url: string, mib: number): Promise<void> {
  const db = new pg.Client(url);
  await db.connect();
  await db.query('create table if not exists public.load (client int, n bigint)');
  await db.query('create table if not exists public.filler (n int, text text)');
  const text = Array.from({ length: 30 }, () => 'md5(random()::text)').join(' || ');
  for (let at = 0; at < mib; at += 32)
    await db.query(`insert into public.filler select n, ${text} from generate_series(1, 31000) n`);
  await db.end();
}

async function sizeText(url: string): Promise<string> {
  const db = new pg.Client(url);
  await db.connect();
  const [size] = (await db.query('select pg_database_size(current_database()) as bytes')).rows;
  await db.end();
  return `${Math.round(size.bytes / 1024 / 1024)} MiB`;
}

const commandOf =
  (project: Project) =>
  async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await run(project, args);
    if (status !== 0) throw new Error(`plinth ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** The measurements take turns, so that other work on the machine affects all of them equally. */
async function measureCost(plain: RunningServer, server: RunningServer, backup: () => Promise<unknown>) {
  const without: number[] = [];
  const archiving: number[] = [];
  const during: number[] = [];
  const measurements = [
    async () => without.push(await throughput(plain.DB_URL, sleep(windowMs))),
    async () => archiving.push(await throughput(server.DB_URL, sleep(windowMs))),
    async () => during.push(await throughput(server.DB_URL, backup())),
  ];
  for (let round = 0; round < rounds; round++)
    for (const measure of round % 2 === 0 ? measurements : measurements.toReversed()) await measure();
  const cost = (values: readonly number[]): string =>
    `${(100 * (1 - median(values.map((value, at) => value / (without[at] as number))))).toFixed(1)}%`;
  console.log(`  inserts/s without backups:      ${without.map(Math.round).join(', ')}`);
  console.log(`  inserts/s while archiving:      ${archiving.map(Math.round).join(', ')}`);
  console.log(`  inserts/s during a base backup: ${during.map(Math.round).join(', ')}`);
  console.log(
    `  median cost of archiving: ${cost(archiving)}, with a base backup: ${cost(during)} (limit: 10%)`,
  );
}

async function measureLoss(project: Project, server: RunningServer): Promise<void> {
  const command = commandOf(project);
  const writer = startWriter(server);
  await sleep(5000);
  const lostAtMs = Date.now();
  await server.kill();
  await writer.stop();
  rmSync(project.dataDir, { recursive: true, force: true });
  const startedMs = performance.now();
  const dataDir = join(project.dir, 'restored');
  console.log((await command('restore', '--data-dir', dataDir)).replaceAll(/^/gm, '  '));
  const seconds = (performance.now() - startedMs) / 1000;
  console.log(`  restore: ${seconds.toFixed(1)} s for ${sizeMib} MiB (limit: 60 s for 1 GiB)`);
  const copy = await startServer(project, dataDir);
  const found = await readAll(copy);
  await copy.stop();
  const lost = writer.rows.filter(({ n, ackedAtMs }) => ackedAtMs !== undefined && !found.rows.has(n));
  const oldest = Math.min(lostAtMs, ...lost.map(({ ackedAtMs }) => ackedAtMs ?? lostAtMs));
  console.log(
    `  lost: ${lost.length} of ${writer.rows.length} rows, acknowledged in the last ${lostAtMs - oldest} ms (limit: 2000 ms)`,
  );
  const wrong = differences(found, writer, oldest).filter((text) => text.startsWith('object'));
  console.log(`  objects: ${found.objects.size}, wrong: ${wrong.length}`);
}

async function measure(project: Project): Promise<void> {
  const command = commandOf(project);
  const plainProject = makeProject(undefined);
  let plain: RunningServer | undefined;
  let server: RunningServer | undefined;
  try {
    plain = await startServer(plainProject);
    server = await startServer(project);
    for (const { DB_URL } of [plain, server]) await fill(DB_URL, smallMib);
    await command('backup');
    await measureCost(plain, server, () => command('backup'));
    await plain.stop();
    plain = undefined;
    await fill(server.DB_URL, sizeMib - smallMib);
    console.log(`  database: ${await sizeText(server.DB_URL)}`);
    console.log(`  ${await command('backup')}`);
    const lossy = server;
    server = undefined;
    await measureLoss(project, lossy);
  } finally {
    await plain?.stop();
    await server?.stop();
    plainProject.remove();
    project.remove();
  }
}

for (const kind of kinds) {
  console.log(kind);
  if (kind === 's3') {
    const s3 = await startS3();
    const keys = 'access_key_id = "S3RVER"\nsecret_access_key = "S3RVER"\n';
    await measure(makeProject(`s3://backups/one?endpoint=${s3.endpoint}`, keys)).finally(s3.stop);
  } else {
    const target = mkdtempSync(join(tmpdir(), 'plinth-target-'));
    await measure(makeProject(target)).finally(() => rmSync(target, { recursive: true, force: true }));
  }
}
