/**
 * Tests that a project with data in every service can be moved to another server and back, and that users can sign in
 * there.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { checkTransfer, verify } from '../../src/project/migrate/index.ts';
import { dumpText } from '../dump/helpers.ts';
import {
  bodyOf,
  clientOf,
  codeNow,
  createObjects,
  createPerson,
  endOf,
  move,
  optionsOf,
  type Person,
  password,
  post,
  project,
  readValue,
  run,
  startServer,
} from './helpers.ts';

const objectCount = 150;

let source: Backend;
let target: Backend;
let back: Backend;
let ada: Person;
let bob: Person;
beforeAll(async () => {
  [source, target, back] = await Promise.all([startServer(), startServer(), startServer()]);
  await run(source, project);
  ada = await createPerson(source, 'ada@example.com');
  bob = await createPerson(source, 'bob@example.com');
  await createObjects(source, objectCount);
});
afterAll(async () => {
  await Promise.all([source?.stop(), target?.stop(), back?.stop()]);
});

/** Returns a dump with sorted rows, because their order isn't significant. */
const dumpOf = async (backend: Backend): Promise<string> => {
  const text = await dumpText({ ...parseConnectionString(backend.database.info.projectUrl) });
  return text.replaceAll(
    /^(COPY .* FROM stdin;\n)([\s\S]*?)^\\\.$/gm,
    (_all, head: string, rows: string) => `${head}${rows.split('\n').sort().join('\n')}\n\\.`,
  );
};

/** Returns the lines of the first dump that differ from the second dump. */
const differences = async (a: Backend, b: Backend): Promise<string[]> => {
  const [first, second] = [(await dumpOf(a)).split('\n'), (await dumpOf(b)).split('\n')];
  expect(first.length).toBeGreaterThan(5000);
  return first.filter((line, index) => line !== second[index]).concat(second.slice(first.length));
};

const verifyEnds = (from: Backend, to: Backend) =>
  verify({
    source: endOf(from, 'the source'),
    target: endOf(to, 'the target'),
    objects: true,
    parallel: 4,
    onProgress: () => {},
  });

test('--check lists the missing definitions and changes nothing', async () => {
  const before = await dumpOf(target);
  const report = await checkTransfer(optionsOf(source, target));
  expect(report.failing).toEqual([]);
  expect(report.different).toEqual([]);
  expect(report.missing).toEqual(
    expect.arrayContaining(['TABLE app.notes', 'TRIGGER signup ON auth.users', 'POLICY own ON app.notes']),
  );
  expect(report.notes.join('\n')).toContain('recovery codes');
  expect(await dumpOf(target)).toEqual(before);
  expect(await readValue(target, `select to_regclass('plinth_migrate.sources')::text as value`)).toBeNull();
});

test('everything is transferred, and the target’s dump is equal', async () => {
  const report = await move(source, target);
  expect(report.notes.filter((note) => /^(Not created|Object|Table|Vault|Cron: )/.test(note))).toEqual([]);
  expect(report).toMatchObject({
    complete: true,
    secrets: { added: 2, changed: 0, deleted: 0 },
    jobs: { added: 2, paused: 1 },
    objects: { added: objectCount, changed: 0, deleted: 0 },
    largeObjects: 1,
  });
  expect(report.tables).toContainEqual({
    table: 'app.notes',
    added: 5000,
    changed: 0,
    deleted: 0,
    replaced: false,
  });
  // Triggers must not run for rows that are copied.
  expect(await readValue(target, 'select count(*)::int as value from public.welcome')).toBe(2);
  expect(await readValue(target, 'select count(*)::int as value from supabase_functions.hooks')).toBe(
    await readValue(source, 'select count(*)::int as value from supabase_functions.hooks'),
  );
  expect(await readValue(target, `select active as value from cron.job where jobname = 'nightly'`)).toBe(
    false,
  );
  const started = await move(source, target, { startJobs: true });
  expect(started.jobs).toMatchObject({ added: 0, changed: 1, paused: 0 });
  expect(await differences(source, target)).toEqual([]);
});

test('the target has the same rows, secrets and files', async () => {
  const report = await verifyEnds(source, target);
  expect(report.differences).toEqual([]);
  expect(report.objects).toBe(objectCount);
  expect(report.rows).toBeGreaterThan(5000);
  expect(
    await readValue(
      target,
      `select json_agg(decrypted_secret order by decrypted_secret) as value from vault.decrypted_secrets`,
    ),
  ).toEqual(['nameless', 'the secret value']);
  const ids = 'select json_agg(id order by id) as value from vault.secrets';
  expect(await readValue(target, ids)).toEqual(await readValue(source, ids));
  const { data } = await clientOf(target).storage.from('files').download('a b/c.txt');
  expect(await data?.text()).toBe(bodyOf(0).toString());
});

test('queues continue with the same messages, and with new numbers', async () => {
  const messages = `select json_agg(m order by msg_id) as value from pgmq."q_mails" m`;
  const archived = `select json_agg(a) as value from pgmq."a_mails" a`;
  expect(await readValue(target, messages)).toEqual(await readValue(source, messages));
  expect(await readValue<unknown[]>(target, messages)).toHaveLength(18);
  expect(await readValue(target, archived)).toEqual(await readValue(source, archived));
  // The message with the number 20 was deleted.
  expect(await readValue(target, `select max(id)::int as value from pgmq.send('Mails', '{}') as id`)).toBe(
    21,
  );
  expect(
    await readValue(
      target,
      `select relpersistence as value from pg_class where oid = 'pgmq.q_scratch'::regclass`,
    ),
  ).toBe('u');
  await run(target, `select pgmq.delete('Mails', 21)`);
  await run(source, `select pgmq.delete('Mails', 4)`);
  const report = await move(source, target);
  expect(report.tables.find(({ table }) => table.includes('q_mails'))).toMatchObject({
    added: 0,
    deleted: 1,
  });
  await run(source, `select pgmq.send('Mails', '{"later": true}')`);
  expect((await verifyEnds(source, target)).differences.join()).toContain('Queue Mails');
  await move(source, target);
  expect((await verifyEnds(source, target)).differences).toEqual([]);
});

test('users sign in with the old password, TOTP factor, passkey and refresh token', async () => {
  const client = clientOf(target);
  const { data, error } = await client.auth.signInWithPassword({ email: ada.email, password });
  expect(error).toBeNull();
  const factor = data.user?.factors?.[0]?.id ?? '';
  const verified = await client.auth.mfa.challengeAndVerify({
    factorId: factor,
    code: codeNow(ada.totpSecret),
  });
  expect(verified.error).toBeNull();
  const refreshed = await clientOf(target).auth.refreshSession({ refresh_token: bob.refreshToken });
  expect(refreshed.error).toBeNull();
  expect(refreshed.data.user?.id).toBe(bob.id);
  const { body: asked } = await post<{ challenge_id: string; options: { challenge: string } }>(
    target,
    '/passkeys/authentication/options',
    {},
  );
  const signedIn = await post<{ user: { id: string } }>(target, '/passkeys/authentication/verify', {
    challenge_id: asked.challenge_id,
    credential: bob.authenticator.get(asked.options),
  });
  expect(signedIn).toMatchObject({ status: 200, body: { user: { id: bob.id } } });
});

test('after a move back to another server, the dump is equal again', async () => {
  const report = await move(target, back, { startJobs: true });
  expect(report.complete).toBe(true);
  expect(await differences(target, back)).toEqual([]);
  expect((await verifyEnds(target, back)).differences).toEqual([]);
});
