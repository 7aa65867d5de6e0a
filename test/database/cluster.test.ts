/** Tests how the embedded server starts and stops, and how it reacts when other processes interfere with it. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { processesIn } from '../../src/platform/database/embedded/lock.ts';
import { createDatabase, type Database, isHeld, readLock } from '../../src/platform/database/index.ts';
import { copyTemplateFolder } from '../../src/platform/database/testing/template-folder.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { killEverything, startWriter, temporaryFolder } from './helpers.ts';

// The timeouts are long, because starting a server can take a long time on a busy machine.
let folder: ReturnType<typeof temporaryFolder>;
let running: Database[] = [];

/** Copies a prepared cluster to the folder, for tests that don't concern a project's first start. */
const bootstrapped = () => copyTemplateFolder(folder.path);

async function start(
  dataDir: string,
  options: { port?: number | null; durable?: boolean } = {},
): Promise<Database> {
  const database = await createDatabase({ dataDir, durable: false, ...options });
  running.push(database);
  return database;
}

async function stopAll(): Promise<void> {
  for (const database of running.splice(0)) await database.stop();
}

beforeEach(() => {
  folder = temporaryFolder();
  running = [];
});

afterEach(async () => {
  await stopAll();
  killEverything(folder.path);
  folder.remove();
});

async function setting(database: Database, name: string): Promise<unknown> {
  const [row] = await database
    .pool('postgres')
    .query<{ value: string }>(sql`select current_setting(${name}) as value`);
  return row?.value;
}

describe('a data folder', () => {
  test('is created when the server first starts, and kept after a restart', async () => {
    const first = await start(folder.path, { durable: true, port: 0 });
    expect(first.info).toMatchObject({ embedded: true, ownsSchemas: true });
    expect(first.info.serverVersion).toBeGreaterThanOrEqual(180_000);
    for (const [name, value] of Object.entries({
      fsync: 'on',
      synchronous_commit: 'on',
      wal_level: 'logical',
      TimeZone: 'UTC',
      password_encryption: 'scram-sha-256',
      max_slot_wal_keep_size: '4GB',
      server_encoding: 'UTF8',
    })) {
      expect([name, await setting(first, name)]).toEqual([name, value]);
    }
    await first.pool('postgres').exec('create table kept as select 42 as answer');
    await stopAll();
    expect(existsSync(join(folder.path, 'lock'))).toBe(false);

    const messages: string[] = [];
    const second = await createDatabase({
      dataDir: folder.path,
      onProgress: (message) => messages.push(message),
    });
    running.push(second);
    expect(messages).toEqual([]);
    expect(await second.pool('postgres').query(sql`select answer from kept`)).toEqual([{ answer: 42 }]);
  });

  test('accepts TCP connections only with the password', async () => {
    await bootstrapped();
    const database = await start(folder.path, { port: 0 });
    const target = parseConnectionString(database.info.url);
    const client = await Client.connect(target);
    expect(await client.query(sql`select current_user::text as who`)).toEqual([{ who: 'postgres' }]);
    await client.connection.close();
    await expect(Client.connect({ ...target, password: 'wrong' })).rejects.toMatchObject({ code: '28P01' });
  });

  test('accepts a changed password after the next start', async () => {
    await bootstrapped();
    const database = await createDatabase({
      dataDir: folder.path,
      durable: false,
      port: 0,
      password: "o'ther",
    });
    running.push(database);
    const client = await Client.connect(parseConnectionString(database.info.url));
    await client.connection.close();
    const target = { ...parseConnectionString(database.info.url), password: 'postgres' };
    await expect(Client.connect(target)).rejects.toMatchObject({ code: '28P01' });
  });

  test('can have a path of 150 characters', async () => {
    const long = join(folder.path, 'd'.repeat(150));
    const database = await start(long);
    expect(await database.pool('postgres').query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
    expect(statSync(long).isDirectory()).toBe(true);
  });

  test('can have any characters in its path', async () => {
    const database = await start(join(folder.path, `it's, "a" \\ Ü:b $x %20`));
    await database.pool('postgres').exec('create extension pgjwt');
  });

  test('can be below a folder that only its owner can enter', async () => {
    chmodSync(folder.path, 0o700);
    const database = await start(join(folder.path, '.plinth'));
    expect(await database.pool('postgres').query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  test('of another user is rejected and left unchanged', async () => {
    mkdirSync(join(folder.path, 'postgres'));
    writeFileSync(join(folder.path, 'postgres', 'thesis.txt'), 'years of work');
    await expect(start(folder.path)).rejects.toMatchObject({ code: 'folder_foreign' });
    expect(readFileSync(join(folder.path, 'postgres', 'thesis.txt'), 'utf8')).toBe('years of work');
    expect(existsSync(join(folder.path, 'lock'))).toBe(false);
  });

  test('that is a file is rejected', async () => {
    writeFileSync(join(folder.path, 'file'), '');
    await expect(start(join(folder.path, 'file'))).rejects.toMatchObject({ code: 'folder_unwritable' });
  });

  test('uses the settings in config.toml, and an error contains the name of an invalid one', async () => {
    await bootstrapped();
    const options = { dataDir: folder.path, durable: false };
    await expect(
      createDatabase({ ...options, dbSettings: { shared_buffers: 'plenty' } }),
    ).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringContaining('shared_buffers'),
    });
    const database = await createDatabase({ ...options, dbSettings: { max_connections: 37 } });
    running.push(database);
    expect(await setting(database, 'max_connections')).toBe('37');
  });
});

describe('a second start', () => {
  test('reports which process uses the folder', async () => {
    await bootstrapped();
    const first = await start(folder.path, { port: 0 });
    const { port } = new URL(first.info.url);
    await expect(createDatabase({ dataDir: folder.path })).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringMatching(new RegExp(`process ${process.pid}.*port ${port}`)),
    });
    const lock = readLock(folder.path);
    expect(lock).toMatchObject({ pid: process.pid, port: Number(port) });
    expect(lock !== undefined && isHeld(lock)).toBe(true);
  });

  test('reports a port that is in use, and doesn’t leave anything behind', async () => {
    await bootstrapped();
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as { port: number };
    try {
      await expect(start(folder.path, { port })).rejects.toMatchObject({
        code: 'port_taken',
        message: expect.stringContaining(String(port)),
        hint: expect.stringContaining('--db-port'),
      });
      expect(existsSync(join(folder.path, 'lock'))).toBe(false);
    } finally {
      other.close();
    }
  });

  test('ignores a lock and a postmaster.pid whose process IDs have been reused', async () => {
    await bootstrapped();
    writeFileSync(
      join(folder.path, 'lock'),
      JSON.stringify({ pid: process.ppid, startedAt: '', port: 1, mark: 'x:1' }),
    );
    // The process ID in the file is that of this test's process, which isn't a PostgreSQL server. Without Plinth,
    // PostgreSQL would refuse to start in this case.
    writeFileSync(join(folder.path, 'postgres', 'postmaster.pid'), `${process.pid}\n${folder.path}\n`);
    const database = await start(folder.path);
    expect(await database.pool('postgres').query(sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  test('takes over from a server whose parent process was killed', async () => {
    await bootstrapped();
    const writer = startWriter(folder.path);
    await expect.poll(writer.acknowledged, { timeout: 30_000 }).toBeGreaterThan(0);
    process.kill(writer.pid, 'SIGKILL');
    await writer.ended;
    const database = await start(folder.path, { durable: true });
    const [row] = await database
      .pool('postgres')
      .query<{ id: number }>(sql`select max(id) as id from written`);
    expect(row?.id).toBeGreaterThanOrEqual(writer.acknowledged());
  });
});

test('a postmaster killed from outside is restarted', async () => {
  await bootstrapped();
  const database = await start(folder.path, { durable: true });
  await database.pool('postgres').exec('create table kept as select 7 as answer');
  const pid = Number.parseInt(readFileSync(join(folder.path, 'postgres', 'postmaster.pid'), 'utf8'), 10);
  process.kill(pid, 'SIGKILL');
  for (let tries = 0; ; tries++) {
    try {
      expect(await database.pool('postgres').query(sql`select answer from kept`)).toEqual([{ answer: 7 }]);
      break;
    } catch (error) {
      if (tries > 100) throw error;
      await sleep(50);
    }
  }
});

test('stopping during such a restart ends all processes', async () => {
  await bootstrapped();
  const database = await start(folder.path, { durable: true });
  const pgdata = join(folder.path, 'postgres');
  process.kill(Number.parseInt(readFileSync(join(pgdata, 'postmaster.pid'), 'utf8'), 10), 'SIGKILL');
  await sleep(5);
  running = [];
  await database.stop();
  // The remaining processes of the killed server exit on their own, which can take a while on a busy machine.
  await expect.poll(() => processesIn(pgdata)).toEqual([]);
  expect(existsSync(join(folder.path, 'lock'))).toBe(false);
});
