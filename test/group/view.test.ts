/**
 * Tests how nodes ask each other. Each node has a separate data folder and separate connections to one real database.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Logger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../src/platform/database/testing.ts';
import type { Database } from '../../src/platform/database/types.ts';
import { type GroupState, type GroupView, joinGroup } from '../../src/platform/group/index.ts';
import { temporaryFolder } from '../database/helpers.ts';

let testDatabase: TestDatabase;
let folder: ReturnType<typeof temporaryFolder>;
let open: { readonly group: GroupState; readonly database: Database }[];
beforeEach(async () => {
  testDatabase = await createTestDatabase('group_view');
  folder = temporaryFolder();
  open = [];
});
afterEach(async () => {
  await Promise.all(open.map(({ group }) => group.stop()));
  await Promise.all(open.map(({ database }) => database.stop()));
  await testDatabase.drop();
  folder.remove();
});

async function node(name: string, { isNotified = true } = {}) {
  const dataDir = join(folder.path, `${name}${open.length}`);
  mkdirSync(dataDir, { recursive: true });
  const database = await testDatabase.another();
  const warnings: string[] = [];
  const log: Logger = {
    debug() {},
    info() {},
    warn: (_fields, message) => void warnings.push(message),
    error: (_fields, message) => void warnings.push(message),
    child: () => log,
  };
  // A pooler in transaction mode accepts LISTEN, but never sends a notification.
  const listen: Database['listen'] = isNotified ? database.listen : async () => async () => undefined;
  const counts = { reads: 0 };
  const pool: Database['pool'] = (...arguments_) => {
    const real = database.pool(...arguments_);
    return new Proxy(real, {
      get(_target, name) {
        if (name !== 'query') return Reflect.get(real, name).bind?.(real) ?? Reflect.get(real, name);
        return (statement: Parameters<typeof real.query>[0]) => {
          if (statement.compile().text.includes('group_messages')) counts.reads++;
          return real.query(statement);
        };
      },
    });
  };
  const group = await joinGroup({
    database: { pool, listen },
    environment: { PLINTH_SECRET: 'the secret of all nodes in these tests' },
    files: { dataDir, files: [], folders: [], indexes: {} },
    createMissing: () => undefined,
    node: { id: randomUUID(), name, version: '1.0.0', storage: { kind: 'none', id: '' } },
    log,
  });
  open.push({ group, database });
  const view = group.view as GroupView;
  const asked: unknown[] = [];
  view.answer('name', (input) => {
    asked.push(input);
    return { name, input };
  });
  group.start();
  return { view, database, warnings, asked, counts };
}

/** Runs a statement with the account that owns Plinth's tables. */
const run = ({ database }: { readonly database: Database }, statement: string): Promise<void> =>
  database.pool('supabase_admin').exec(statement);

const namesOf = (answers: Awaited<ReturnType<GroupView['ask']>>): unknown[] =>
  answers.map((answer) => answer.missing ?? (answer.value as { name: string }).name);

test('a node asks all nodes, or some of them', async () => {
  const [one, two, three] = [await node('one'), await node('two'), await node('three')];
  const answers = await one.view.ask('name', { of: 'all' });
  expect(answers.map(({ node: { name } }) => name)).toEqual(['one', 'two', 'three']);
  expect(answers[1]).toMatchObject({ value: { name: 'two', input: { of: 'all' } } });
  expect(namesOf(await three.view.ask('name', {}, { nodes: [one.view.self] }))).toEqual(['one']);
  expect([one.asked.length, two.asked.length, three.asked.length]).toEqual([2, 1, 1]);
  // A node that has received an answer deletes it afterwards.
  await expect
    .poll(async () => {
      const [left] = await one.database
        .pool('supabase_admin')
        .query<{ count: number }>(sql`select count(*)::int as count from _plinth.group_messages`);
      return left?.count;
    })
    .toBe(0);
});

test('an answer arrives within milliseconds, and within the time limit without notifications', async () => {
  const [one, two] = [await node('one'), await node('two')];
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const startedAt = performance.now();
    await one.view.ask('name', {});
    times.push(performance.now() - startedAt);
  }
  expect(Math.min(...times)).toBeLessThan(200);
  const three = await node('three', { isNotified: false });
  expect(namesOf(await three.view.ask('name', {}))).toEqual(['one', 'two', 'three']);
  expect(namesOf(await two.view.ask('name', {}))).toEqual(['one', 'two', 'three']);
});

test('a node that doesn’t answer, fails or doesn’t know the question is named', async () => {
  const [one, two] = [await node('one'), await node('two')];
  await run(
    one,
    `insert into _plinth.group_nodes (id, name, version, storage_kind) values
       ('00000000-0000-4000-8000-000000000001', 'stuck', '1.0.0', 'none'),
       ('00000000-0000-4000-8000-000000000002', 'killed', '1.0.0', 'none');
     update _plinth.group_nodes set seen_at = now() - interval '1 minute' where name = 'killed'`,
  );
  two.view.answer('fail', () => {
    throw new Error('with a detail that must not be sent');
  });
  const startedAt = performance.now();
  expect(namesOf(await one.view.ask('name', {}))).toEqual(['one', 'two', 'silent']);
  expect(performance.now() - startedAt).toBeLessThan(2500);
  expect(namesOf(await one.view.ask('fail', {}, { nodes: [two.view.self] }))).toEqual(['failed']);
  expect(namesOf(await one.view.ask('unheard', {}, { nodes: [two.view.self] }))).toEqual(['unsupported']);
  const known = await one.view.nodes();
  expect(known.map(({ name, isRunning }) => [name, isRunning])).toEqual([
    ['one', true],
    ['two', true],
    ['stuck', true],
    ['killed', false],
  ]);
});

test('nodes with the same name are distinguishable', async () => {
  const [one] = [await node('same'), await node('same'), await node('other')];
  const names = (await one.view.nodes()).map(({ name }) => name);
  expect(names[0]).toBe(`same (${one.view.self.slice(0, 4)})`);
  expect(names[2]).toBe('other');
  expect(new Set(names).size).toBe(3);
});

test('too long an answer isn’t sent', async () => {
  const [one, two] = [await node('one'), await node('two')];
  two.view.answer('long', () => 'x'.repeat(5_000_000));
  two.view.answer('large', () => 'x'.repeat(3_000_000));
  const ask = (question: string) => one.view.ask(question, {}, { nodes: [two.view.self], timeoutMs: 3000 });
  expect((await ask('large'))[0]).toMatchObject({ missing: undefined });
  expect(namesOf(await ask('long'))).toEqual(['failed']);
});

test('a forged message is ignored', async () => {
  const [one, two] = [await node('one'), await node('two')];
  await run(
    one,
    `insert into _plinth.group_messages (id, sender, recipient, content)
     values (gen_random_uuid(), '${one.view.self}', '${two.view.self}', '\\x00'),
       (gen_random_uuid(), '${one.view.self}', '${two.view.self}', decode(repeat('ab', 200), 'hex'));
     notify plinth_group, 'message ${two.view.self}'`,
  );
  await expect.poll(() => two.warnings).toHaveLength(2);
  expect(two.warnings[0]).toBe('ignored a message that no node of this group has sent');
  expect(two.asked).toEqual([]);
  expect(namesOf(await one.view.ask('name', {}))).toEqual(['one', 'two']);
});

test('a replayed message is ignored, also with another sender, recipient or ID', async () => {
  const [one, two, three] = [await node('one'), await node('two'), await node('three')];
  await run(
    one,
    `create table public.captured (like _plinth.group_messages);
     create function public.capture() returns trigger language plpgsql as
       'begin insert into public.captured values (new.*); return new; end';
     create trigger capture before insert on _plinth.group_messages for each row execute function public.capture()`,
  );
  await one.view.ask('name', { text: 'something private' }, { nodes: [two.view.self] });
  await run(one, 'drop trigger capture on _plinth.group_messages');
  const captured = await one.database
    .pool('supabase_admin')
    .query<{ content: Buffer }>(sql`select content from public.captured`);
  expect(captured).toHaveLength(2);
  for (const { content } of captured) expect(content.includes('private')).toBe(false);
  await run(
    one,
    `insert into _plinth.group_messages select * from public.captured;
     insert into _plinth.group_messages
       select gen_random_uuid(), sender, recipient, content from public.captured;
     insert into _plinth.group_messages
       select gen_random_uuid(), sender, '${three.view.self}', content from public.captured;
     insert into _plinth.group_messages
       select gen_random_uuid(), '${three.view.self}', recipient, content from public.captured;
     notify plinth_group, 'message ${one.view.self}';
     notify plinth_group, 'message ${two.view.self}';
     notify plinth_group, 'message ${three.view.self}'`,
  );
  // Of the eight copies, six are in an envelope that they weren't sent in.
  await expect.poll(() => [one, two, three].reduce((sum, { warnings }) => sum + warnings.length, 0)).toBe(6);
  await sleep(200);
  expect([two.asked.length, three.asked.length]).toEqual([1, 0]);
  expect(namesOf(await one.view.ask('name', {}))).toEqual(['one', 'two', 'three']);
});

test('API roles and the project’s roles can’t read or write messages', async () => {
  const one = await node('one');
  const roles = ['anon', 'authenticated', 'service_role', 'authenticator'];
  const rows = await one.database.pool('supabase_admin').query(sql`
    select r.name from unnest(${roles}::text[]) as r (name)
    where has_schema_privilege(r.name, '_plinth', 'usage')
      or has_table_privilege(r.name, '_plinth.group_messages', 'select, insert, update, delete')`);
  expect(rows).toEqual([]);
  const written = one.database.pool('postgres').exec(
    `insert into _plinth.group_messages (id, sender, recipient, content)
     values (gen_random_uuid(), gen_random_uuid(), '${one.view.self}', '\\x00')`,
  );
  await expect(written).rejects.toThrow('permission denied');
});

test('unread messages are deleted', async () => {
  const [one] = [await node('one'), await node('two')];
  await run(
    one,
    `insert into _plinth.group_messages (id, sender, recipient, content, sent_at)
     values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), '\\x00', now() - interval '2 minutes')`,
  );
  await one.view.ask('name', {});
  await expect
    .poll(
      async () => await one.database.pool('supabase_admin').query(sql`select from _plinth.group_messages`),
    )
    .toEqual([]);
});

test('nodes don’t look for messages while no node asks', async () => {
  const [one, two] = [await node('one'), await node('two')];
  await one.view.ask('name', {});
  // On a slow machine, the last reads follow long after the answer.
  let before: number[] = [];
  await expect
    .poll(
      () => {
        const previous = before;
        before = [one.counts.reads, two.counts.reads];
        return previous.join() === before.join() && Math.min(...before) > 0;
      },
      { interval: 3000, timeout: 30_000 },
    )
    .toBe(true);
  await sleep(9000);
  expect([one.counts.reads, two.counts.reads]).toEqual(before);
});
