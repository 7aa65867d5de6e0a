/** Tests the state that nodes share. Each node has a separate data folder and separate connections to one real database. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Logger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';
import type { Database } from '../../src/platform/database/types.ts';
import {
  checkMembership,
  type GroupState,
  type JoinOptions,
  joinGroup,
  listNodes,
  type NodeStorage,
} from '../../src/platform/group/index.ts';
import { temporaryFolder } from '../database/helpers.ts';

const secret = 'the secret of all nodes in these tests';
const index = 'deployed/index.json';

let testDatabase: TestDatabase;
let folder: ReturnType<typeof temporaryFolder>;
let open: { readonly group: GroupState; readonly database: Database }[];
beforeEach(async () => {
  testDatabase = await createTestDatabase('group');
  folder = temporaryFolder();
  open = [];
});
afterEach(async () => {
  await Promise.all(open.map(({ group }) => group.stop()));
  await Promise.all(open.map(({ database }) => database.stop()));
  await testDatabase.drop();
  folder.remove();
});

interface NodeOptions {
  readonly environment?: JoinOptions['environment'];
  readonly storage?: NodeStorage;
  readonly createMissing?: JoinOptions['createMissing'];
  readonly follows?: boolean;
}

const filesOf = (dataDir: string): JoinOptions['files'] => ({
  dataDir,
  files: ['secrets.json', 'api-keys.json', index],
  folders: ['group'],
  indexes: {
    [index]: {
      prefix: 'deployed/versions/',
      list: (content) => (JSON.parse(String(content)) as string[]).map((id) => `deployed/versions/${id}`),
    },
  },
});

async function node(name: string, options: NodeOptions = {}) {
  const dataDir = join(folder.path, name);
  mkdirSync(dataDir, { recursive: true });
  const database = await testDatabase.another();
  const warnings: string[] = [];
  const log = collecting(warnings);
  const joining = joinGroup({
    database,
    environment: options.environment ?? { PLINTH_SECRET: secret },
    files: filesOf(dataDir),
    createMissing: options.createMissing ?? (() => undefined),
    node: {
      id: randomUUID(),
      name,
      version: '1.0.0',
      storage: options.storage ?? { kind: 's3', id: 'bucket' },
    },
    log,
  });
  const group = await joining.catch(async (error: unknown) => {
    await database.stop();
    throw error;
  });
  open.push({ group, database });
  const path = (file: string): string => join(dataDir, file);
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(path(file)), { recursive: true });
    writeFileSync(path(file), text);
  };
  const read = (file: string): string | undefined =>
    existsSync(path(file)) ? readFileSync(path(file), 'utf8') : undefined;
  const replaced: string[] = [];
  group.onReplaced((names) => replaced.push(...names));
  if (options.follows !== false) group.start();
  return { dataDir, group, database, warnings, write, read, replaced };
}

function collecting(warnings: string[]): Logger {
  const log: Logger = {
    debug() {},
    info() {},
    warn: (_fields, message) => void warnings.push(message),
    error: (_fields, message) => void warnings.push(message),
    child: () => log,
  };
  return log;
}

/** Changes are known to all nodes within two seconds, which `npm run drill:cluster` measures. Tests run on busy machines. */
const soon = { timeout: 15_000, interval: 20 };

test('a change of one node reaches the others', async () => {
  const one = await node('one');
  const two = await node('two');
  const result = await one.group.change(() => {
    one.write('secrets.json', 'first');
    one.write('group/config.toml', 'x = 1');
    one.write('group/templates/a.html', '[]');
    return 'result';
  });
  expect(result).toBe('result');
  await expect.poll(() => two.read('group/templates/a.html'), soon).toBe('[]');
  expect([two.read('secrets.json'), two.read('group/config.toml')]).toEqual(['first', 'x = 1']);
  expect(two.replaced.sort()).toEqual(['group/config.toml', 'group/templates/a.html', 'secrets.json']);
  await two.group.change(() => rmSync(join(two.dataDir, 'group/config.toml')));
  await expect.poll(() => one.read('group/config.toml'), soon).toBeUndefined();
  expect(one.replaced).toEqual(['group/config.toml']);
  const three = await node('three');
  expect([...three.group.replacedAtStart].sort()).toEqual(['group/templates/a.html', 'secrets.json']);
  expect([three.read('secrets.json'), three.read('group/config.toml')]).toEqual(['first', undefined]);
  expect([one.warnings, two.warnings, three.warnings]).toEqual([[], [], []]);
});

test('changes of several nodes see each other', async () => {
  const nodes = await Promise.all(['one', 'two', 'three'].map((name) => node(name)));
  const changes = nodes.flatMap((each) =>
    Array.from({ length: 5 }, () =>
      each.group.change(() => each.write('api-keys.json', `${each.read('api-keys.json') ?? ''}x`)),
    ),
  );
  await Promise.all(changes);
  const expected = 'x'.repeat(15);
  for (const each of nodes) await expect.poll(() => each.read('api-keys.json'), soon).toBe(expected);
});

test('nodes that start at the same time use the same new keys', async () => {
  const nodes = await Promise.all(
    ['one', 'two', 'three'].map(async (name) => {
      const dataDir = join(folder.path, name);
      const file = join(dataDir, 'secrets.json');
      return node(name, {
        createMissing: () => void (existsSync(file) || writeFileSync(file, `created by ${name}`)),
      });
    }),
  );
  const [first, ...others] = nodes.map(({ read }) => read('secrets.json'));
  expect(first).toMatch(/^created by /);
  expect(others).toEqual([first, first]);
});

describe('the database contains', () => {
  test('only encrypted contents', async () => {
    const one = await node('one');
    await one.group.change(() => one.write('secrets.json', 'a private key'));
    const rows = await one.database
      .pool('supabase_admin')
      .query<{ name: string; content: Buffer }>(sql`select name, content from _plinth.group_state`);
    expect(rows).toEqual([{ name: 'secrets.json', content: expect.any(Buffer) }]);
    expect(rows[0]?.content.includes('a private key')).toBe(false);
  });

  test('no rows that the project can change or that clients can read', async () => {
    const one = await node('one');
    const admin = one.database.pool('supabase_admin');
    const attempt = (role: string, statement: string) => {
      const work = admin.transaction((tx) => tx.exec(statement), { settings: [['role', role]] });
      return expect(work).rejects.toMatchObject({ code: '42501' });
    };
    for (const table of ['group_state', 'group_identity', 'group_nodes']) {
      // `postgres` can read all tables, as upstream, so the contents are encrypted.
      await attempt('postgres', `delete from _plinth.${table}`);
      await attempt('postgres', `select from _plinth.${table} for update`);
      for (const role of ['anon', 'authenticated', 'service_role', 'authenticator'])
        await attempt(role, `select from _plinth.${table}`);
    }
  });
});

test('an exchanged row is rejected, and the files stay as they are', async () => {
  const one = await node('one');
  const two = await node('two');
  await one.group.change(() => {
    one.write('secrets.json', 'the keys');
    one.write('api-keys.json', 'other keys');
  });
  await expect.poll(() => two.read('secrets.json'), soon).toBe('the keys');
  await one.database.pool('supabase_admin').exec(`
    update _plinth.group_state s set version = 2, digest = o.digest, content = o.content
      from _plinth.group_state o where s.name = 'secrets.json' and o.name = 'api-keys.json';
    update _plinth.group_identity set change = change + 1;
    notify plinth_group, 'changed'`);
  await expect.poll(() => two.warnings, soon).toHaveLength(1);
  expect(two.read('secrets.json')).toBe('the keys');
});

test('a change within a change is part of it', async () => {
  const one = await node('one');
  const two = await node('two');
  await one.group.change(async () => {
    await one.group.change(() => one.write('api-keys.json', 'inner'));
    one.write('secrets.json', 'outer');
  });
  // The files are written one after another.
  await expect.poll(() => two.read('secrets.json'), soon).toBe('outer');
  await expect.poll(() => two.read('api-keys.json'), soon).toBe('inner');
  await one.group.change(() => one.write('secrets.json', 'next'));
  await expect.poll(() => two.read('secrets.json'), soon).toBe('next');
});

test('a database that was restored from a backup replaces newer files', async () => {
  const one = await node('one');
  await one.group.change(() => one.write('secrets.json', 'first'));
  const pool = testDatabase.database.pool('supabase_admin');
  await pool.exec('create table public.backup as select * from _plinth.group_state');
  await one.group.change(() => one.write('secrets.json', 'second'));
  await pool.exec(`
    delete from _plinth.group_state;
    insert into _plinth.group_state select * from public.backup;
    update _plinth.group_identity set change = change - 1;
    notify plinth_group, 'changed'`);
  await expect.poll(() => one.read('secrets.json'), soon).toBe('first');
  expect(one.warnings).toEqual([expect.stringContaining('older version of a file')]);
  await one.group.change(() => one.write('secrets.json', 'third'));
  expect((await node('two')).read('secrets.json')).toBe('third');
});

describe('a failed change', () => {
  test('restores the files and reports the error of the work', async () => {
    const one = await node('one');
    await one.group.change(() => one.write('secrets.json', 'before'));
    const failing = one.group.change(() => {
      one.write('secrets.json', 'after');
      one.write('group/new', 'new');
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect([one.read('secrets.json'), one.read('group/new')]).toEqual(['before', undefined]);
    expect(one.replaced.sort()).toEqual(['group/new', 'secrets.json']);
    await one.group.change(() => one.write('secrets.json', 'after'));
  });

  test('reports that the database is unavailable', async () => {
    const one = await node('one', { follows: false });
    await one.group.change(() => one.write('secrets.json', 'before'));
    const killing = one.group.change(async () => {
      one.write('secrets.json', 'after');
      await testDatabase.database.pool('supabase_admin').exec(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state like 'idle in transaction%'`);
    });
    await expect(killing).rejects.toMatchObject({ name: 'GroupError', status: 503 });
    expect(one.read('secrets.json')).toBe('before');
    await one.group.change(() => one.write('secrets.json', 'after'));
    expect(one.read('secrets.json')).toBe('after');
  });
});

describe('a command on one node', () => {
  test('changes files that the running node stores', async () => {
    const one = await node('one');
    const two = await node('two');
    one.write('secrets.json', 'rotated by a command');
    await expect.poll(() => two.read('secrets.json'), soon).toBe('rotated by a command');
  });

  test('changes files that the node stores at its next start', async () => {
    const one = await node('one');
    await one.group.change(() => one.write('secrets.json', 'first'));
    await one.group.stop();
    one.write('secrets.json', 'rotated while the node was down');
    const two = await node('two');
    expect(two.read('secrets.json')).toBe('first');
    await node('one');
    await expect.poll(() => two.read('secrets.json'), soon).toBe('rotated while the node was down');
  });

  test('is never overwritten while it changes a file', async () => {
    const one = await node('one');
    const two = await node('two');
    await one.group.change(() => one.write('secrets.json', 'first'));
    await expect.poll(() => two.read('secrets.json'), soon).toBe('first');
    two.write('secrets.json.lock', '');
    await one.group.change(() => one.write('secrets.json', 'second'));
    await sleep(300);
    expect(two.read('secrets.json')).toBe('first');
    rmSync(join(two.dataDir, 'secrets.json.lock'));
    await expect.poll(() => two.read('secrets.json'), soon).toBe('second');
    expect([one.warnings, two.warnings]).toEqual([[], []]);
  });

  test('loses its change if another node made one too', async () => {
    const one = await node('one', { follows: false });
    const two = await node('two');
    await two.group.change(() => two.write('secrets.json', 'first'));
    await one.group.change(() => undefined);
    await two.group.change(() => two.write('secrets.json', 'second'));
    one.write('secrets.json', 'by a command');
    one.group.start();
    await expect.poll(() => one.read('secrets.json'), soon).toBe('second');
    expect(one.read('secrets.json.lost')).toBe('by a command');
    expect(one.warnings).toEqual([expect.stringContaining('was discarded')]);
    expect(two.read('secrets.json')).toBe('second');
  });
});

test('a node that was killed between the commit and its record starts normally', async () => {
  const one = await node('one');
  await one.group.change(() => one.write('secrets.json', 'first'));
  const record = one.read('group.json');
  await one.group.change(() => one.write('secrets.json', 'second'));
  await one.group.stop();
  one.write('group.json', record ?? '');
  const again = await node('one');
  expect([again.read('secrets.json'), again.warnings]).toEqual(['second', []]);
});

test('a lost data folder is created again', async () => {
  const one = await node('one');
  await one.group.change(() => one.write('secrets.json', 'first'));
  await one.group.stop();
  rmSync(one.dataDir, { recursive: true });
  expect((await node('one')).read('secrets.json')).toBe('first');
});

test('changes are found without notifications', async () => {
  const one = await node('one');
  const two = await node('two');
  await one.group.change(() => one.write('secrets.json', 'first'));
  await expect.poll(() => two.read('secrets.json'), soon).toBe('first');
  const admin = testDatabase.database.pool('supabase_admin');
  await admin.exec(`
    alter role authenticator connection limit 0;
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and usename = 'authenticator'`);
  try {
    // By then, both nodes have noticed that their own notifications don't arrive.
    await sleep(6000);
    await one.group.change(() => one.write('secrets.json', 'second'));
    await expect.poll(() => two.read('secrets.json'), soon).toBe('second');
  } finally {
    await admin.exec('alter role authenticator connection limit -1');
  }
});

describe('folders to which a file refers', () => {
  const deploy = (each: Awaited<ReturnType<typeof node>>, id: string, text: string) =>
    each.group.change(() => {
      each.write(`deployed/versions/${id}/src/index.ts`, text);
      each.write(`deployed/versions/${id}/deno.json`, '{}');
      each.write(index, JSON.stringify([id]));
    });
  const stored = async () =>
    (
      await testDatabase.database
        .pool('supabase_admin')
        .query<{ name: string }>(
          sql`select name from _plinth.group_state where name like 'deployed/versions/%'`,
        )
    ).map(({ name }) => name);

  test('are copied before the file, and removed when no file refers to them', async () => {
    const one = await node('one');
    const two = await node('two');
    await deploy(one, 'a', 'one');
    await expect.poll(() => two.read(index), soon).toBe('["a"]');
    expect(two.read('deployed/versions/a/src/index.ts')).toBe('one');
    expect(two.read('deployed/versions/a/deno.json')).toBe('{}');
    await deploy(two, 'b', 'two');
    await expect.poll(() => one.read(index), soon).toBe('["b"]');
    expect(one.read('deployed/versions/b/src/index.ts')).toBe('two');
    expect(await stored()).toEqual(['deployed/versions/b']);
    const three = await node('three');
    expect(three.read('deployed/versions/b/src/index.ts')).toBe('two');
  });

  test('are stored only once', async () => {
    const one = await node('one');
    await deploy(one, 'a', 'one');
    const changedAt = () =>
      testDatabase.database
        .pool('supabase_admin')
        .query(sql`select changed_at from _plinth.group_state where name like 'deployed/versions/%'`);
    const before = await changedAt();
    await one.group.change(() => one.write(index, '["a" ]'));
    expect(await changedAt()).toEqual(before);
  });
});

describe('the secret', () => {
  test('must be the same on all nodes', async () => {
    await node('one');
    const other = { PLINTH_SECRET: 'another secret, which is long enough' };
    await expect(node('two', { environment: other })).rejects.toThrow('with a different secret');
    expect(existsSync(join(folder.path, 'two', 'group.json'))).toBe(false);
    const dataDir = join(folder.path, 'two');
    const pool = testDatabase.database.pool('supabase_admin');
    await expect(checkMembership(pool, { environment: other, dataDir })).rejects.toThrow('different secret');
    await expect(checkMembership(pool, { environment: {}, dataDir })).rejects.toThrow('has no secret');
    await checkMembership(pool, { environment: { PLINTH_SECRET: secret }, dataDir });
    expect(await listNodes(pool)).toHaveLength(1);
  });

  test('is generated in the data folder of the first node if none is set', async () => {
    const one = await node('one', { environment: {} });
    const generated = one.read('group.secret')?.trim() ?? '';
    expect(generated).toMatch(/^[\w-]{43}$/);
    await expect(node('two', { environment: {} })).rejects.toThrow('has no secret');
    expect(existsSync(join(folder.path, 'two', 'group.secret'))).toBe(false);
    await node('three', { environment: { PLINTH_SECRET: generated } });
    await node('four', { environment: { PLINTH_SECRET_FILE: join(one.dataDir, 'group.secret') } });
    await node('one', { environment: {} });
  });

  test.each([
    [{ PLINTH_SECRET: 'too short' }, 'PLINTH_SECRET must contain at least 32 characters'],
    [{ PLINTH_SECRET_FILE: '/missing' }, "The secret of the nodes can't be read from /missing"],
  ])('%j is rejected', async (environment, message) => {
    const joining = node('one', { environment });
    await expect(joining).rejects.toThrow(message);
    await expect(joining).rejects.not.toThrow('too short');
  });
});

describe('running nodes', () => {
  test('are listed until they end', async () => {
    const one = await node('one');
    await node('two');
    const pool = testDatabase.database.pool('supabase_admin');
    const names = async () => (await listNodes(pool)).map(({ name }) => name);
    expect(await names()).toEqual(['one', 'two']);
    await one.group.stop();
    expect(await names()).toEqual(['two']);
    await pool.exec(`update _plinth.group_nodes set seen_at = now() - interval '16 seconds'`);
    expect(await names()).toEqual([]);
  });

  test('must see the same uploaded files', async () => {
    const one = await node('one', { storage: { kind: 'file', id: 'folder one' } });
    await node('two', { storage: { kind: 'file', id: 'folder one' } });
    await expect(node('three', { storage: { kind: 'file', id: 'folder two' } })).rejects.toThrow(
      'The node one stores uploaded files in a folder of its machine',
    );
    await expect(node('four', { storage: { kind: 's3', id: 'bucket' } })).rejects.toThrow('The node one');
    expect(one.warnings).toEqual([]);
  });

  test('are warned about different buckets', async () => {
    await node('one');
    const two = await node('two', { storage: { kind: 's3', id: 'another bucket' } });
    expect(two.warnings).toEqual([expect.stringContaining('different S3 endpoint or bucket')]);
    const three = await node('three', { storage: { kind: 'none', id: '' } });
    expect(three.warnings).toEqual([]);
  });
});
