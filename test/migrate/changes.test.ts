/** Tests repeated migrations: only changes are transferred, and rows of another project aren't deleted. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { type Report, verify } from '../../src/project/migrate/index.ts';
import { clientOf, createObjects, endOf, move, project, readValue, run, startServer } from './helpers.ts';

let source: Backend;
let target: Backend;
beforeAll(async () => {
  [source, target] = await Promise.all([startServer(), startServer()]);
  await run(source, project);
  await createObjects(source, 12);
});
afterAll(async () => {
  await Promise.all([source?.stop(), target?.stop()]);
});

const changedTables = (report: Report) =>
  Object.fromEntries(
    report.tables
      .filter(({ added, changed, deleted }) => added + changed + deleted > 0)
      .map(({ table, added, changed, deleted }) => [table, [added, changed, deleted]]),
  );

const verifyEnds = async (): Promise<readonly string[]> => {
  const report = await verify({
    source: endOf(source, 'the source'),
    target: endOf(target, 'the target'),
    objects: true,
    parallel: 4,
    onProgress: () => {},
  });
  return report.differences;
};

test('rows that no earlier run transferred are deleted only with --overwrite', async () => {
  await run(target, `insert into auth.users (id, email) values (gen_random_uuid(), 'own@example.com')`);
  await expect(move(source, target)).rejects.toMatchObject({ code: 'target_not_empty' });
  expect(await readValue(target, `select to_regnamespace('app')::text as value`)).toBeNull();
  const report = await move(source, target, { overwrite: true });
  expect(report.complete).toBe(true);
  expect(changedTables(report)['auth.users']).toEqual([0, 0, 1]);
});

test('a second run without changes doesn’t transfer anything', async () => {
  const report = await move(source, target);
  expect(changedTables(report)).toEqual({});
  expect(report).toMatchObject({
    complete: true,
    definitions: 0,
    sequences: 0,
    largeObjects: 0,
    secrets: { added: 0, changed: 0, deleted: 0 },
    jobs: { added: 0, changed: 0, deleted: 0 },
    objects: { added: 0, changed: 0, deleted: 0, bytes: 0 },
  });
});

test('a run transfers new, changed and deleted rows, objects, secrets, jobs and definitions', async () => {
  await run(
    source,
    `
    delete from app.replies where note <= 20;
    update app.notes set body = 'changed' where id in (1, 2, 3);
    insert into app.notes (body) values ('new');
    insert into app.log (line) values ('one more');
    update app.parts set b = 'x' where a = 7;
    delete from app.parts where a = 130;
    create table app.later (id integer primary key);
    insert into app.later values (1);
    drop policy own on app.notes;
    create policy own on app.notes for select to authenticated using (owner = auth.uid());
    create or replace view app.bad_notes as select id, body from app.notes where mood = 'bad' and body <> '';
    select vault.update_secret((select id from vault.secrets where name = 'api_key'), 'another value');
    select cron.unschedule('off');
    select nextval('app.tickets');
  `,
  );
  const storage = clientOf(source, source.keys.serviceRoleKey).storage.from('files');
  await storage.remove(['a b/c.txt']);
  await storage.upload('folder-6/object-6.bin', Buffer.from('replaced'), { upsert: true });
  await storage.upload('new.txt', Buffer.from('new'));
  await storage.move("it's (1).txt", 'renamed.txt');
  const report = await move(source, target);
  expect(changedTables(report)).toEqual({
    'app.replies': [0, 0, 2],
    'app.notes': [1, 3, 0],
    'app.log': [51, 0, 50],
    'app.parts_low': [0, 1, 0],
    'app.parts_high': [0, 0, 1],
    'app.later': [1, 0, 0],
    // This row exists because the project's webhook was called for the new note.
    'supabase_functions.hooks': [1, 0, 0],
  });
  expect(report).toMatchObject({
    complete: true,
    sequences: 3,
    secrets: { added: 0, changed: 1, deleted: 0 },
    jobs: { added: 0, changed: 0, deleted: 1 },
    objects: { added: 2, changed: 1, deleted: 2 },
  });
  expect(await verifyEnds()).toEqual([]);
});

test('verify finds a changed row, a changed body, a missing object and a changed definition', async () => {
  await run(target, `update app.notes set body = 'planted' where id = 10`);
  await run(target, `drop policy own on app.notes`);
  const storage = clientOf(target, target.keys.serviceRoleKey).storage.from('files');
  await storage.upload('new.txt', Buffer.from('NEW'), { upsert: true });
  await storage.remove(['renamed.txt']);
  const differences = await verifyEnds();
  expect(differences).toEqual(
    expect.arrayContaining([
      'Table app.notes: rows differ',
      'Missing or different on the target: POLICY own ON app.notes',
      'Object files/new.txt: the bodies differ',
      'Object files/renamed.txt: the bodies differ',
      expect.stringMatching(/^Table storage\.objects: \d+ rows at the source, \d+ at the target$/),
    ]),
  );
  // The next run resolves all differences.
  await move(source, target);
  expect(await verifyEnds()).toEqual([]);
});

test('a table that changed on the source stops the run before anything is changed', async () => {
  await run(source, `alter table app.later add column more text; delete from app.log`);
  await expect(move(source, target)).rejects.toMatchObject({
    code: 'definition_differs',
    message: expect.stringContaining('TABLE app.later'),
  });
  expect(await readValue(target, 'select count(*)::int as value from app.log')).toBe(51);
  await run(target, `alter table app.later add column more text`);
  expect((await move(source, target)).complete).toBe(true);
  expect(await readValue(target, 'select count(*)::int as value from app.log')).toBe(0);
});
