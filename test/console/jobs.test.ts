/**
 * Tests the API of the Jobs pages: scheduled jobs, webhooks, requests and queues. Also tests permissions, and that
 * secrets stay hidden.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type Backend, type Operator, operator, startBackend } from './harness.ts';

const secret = 'Bearer hunter2-and-nothing-else';

let backend: Backend;
let owner: Operator;
let dev: Operator;
let looker: Operator;
let target: Server;
let targetUrl: string;
const received: { url: string; headers: Record<string, unknown>; body: string }[] = [];
beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('dev', 'developer');
  await backend.operators.createOperator('looker', 'read-only');
  owner = await operator(backend);
  dev = await operator(backend, 'dev');
  looker = await operator(backend, 'looker');
  target = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ url: request.url ?? '', headers: request.headers, body });
    response
      .writeHead(request.url === '/fails' ? 500 : 200, { 'content-type': 'text/plain' })
      .end('heard: hush');
  });
  await new Promise<void>((done) => target.listen(0, '127.0.0.1', done));
  targetUrl = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await backend?.stop();
  target?.closeAllConnections();
  target?.close();
});

const postgres = () => backend.database.pool('postgres');
const admin = () => backend.database.pool('supabase_admin');
const audited = async (action: string): Promise<Record<string, unknown>[]> =>
  admin().query(
    sql`select target, detail, operator_name from _plinth.audit_log where action = ${action} order by id`,
  );
/** Returns the text of all responses that this operator receives from these paths. */
const textOf = async (who: Operator, paths: readonly string[]): Promise<string> =>
  JSON.stringify(await Promise.all(paths.map(async (path) => (await who.call('GET', path)).body)));

describe('before the extensions are enabled', () => {
  test('the response lists what is missing and the statement that enables it', async () => {
    const { body } = await looker.call('GET', '/jobs');
    expect(body).toMatchObject({ cron: 'off', net: 'ready', queues: 'off', hooks: true, ownCron: false });
    expect(body.enabling.pg_cron).toBe('create extension if not exists pg_cron with schema pg_catalog');
    for (const path of ['/jobs/cron', '/jobs/queues', '/jobs/queues/x/messages', '/jobs/cron/1/runs'])
      expect([path, (await owner.call('GET', path)).body.code]).toEqual([path, 'refused']);
  });

  test('a project’s own schema named cron isn’t used as a superuser', async () => {
    await postgres().exec(`
      create schema cron;
      create table public.who (name text);
      create function cron.trap() returns bigint language plpgsql as
        $$ begin insert into public.who values (current_user); return 1; end $$;
      create view cron.job as select cron.trap() as jobid, 'x' as jobname, '' as schedule, '' as command, '' as database,
        'postgres' as username, true as active;
      create table cron._timetable (jobid bigint, is_waiting boolean);
      create table cron._call (jobid bigint);
      create table cron.job_run_details (jobid bigint, runid bigint, status text, return_message text,
        start_time timestamptz, end_time timestamptz);`);
    expect((await looker.call('GET', '/jobs')).body).toMatchObject({ cron: 'ready', ownCron: false });
    await owner.call('GET', '/jobs/cron');
    const names = await postgres().query<{ name: string }>(sql`select distinct name from public.who`);
    expect(names.map(({ name }) => name)).not.toContain('supabase_admin');
    expect((await owner.call('POST', '/jobs/cron/1/run')).body.code).toBe('refused');
    await postgres().exec('drop schema cron cascade; drop table public.who');
  });

  test("a developer can enable them, and a read-only operator can't", async () => {
    for (const name of ['pg_cron', 'pgmq', 'pg_net']) {
      expect((await looker.call('POST', '/jobs/extensions', { name })).status).toBe(403);
      expect((await dev.call('POST', '/jobs/extensions', { name })).status).toBe(200);
    }
    expect((await dev.call('POST', '/jobs/extensions', { name: 'dblink' })).status).toBe(400);
    expect((await looker.call('GET', '/jobs')).body).toMatchObject({
      cron: 'ready',
      queues: 'ready',
      ownCron: true,
    });
    expect(await audited('extension.enable')).toHaveLength(3);
  });
});

describe('scheduled jobs', () => {
  const create = async (body: object) => {
    const response = await dev.call('POST', '/jobs/cron', {
      schedule: '0 3 * * *',
      command: 'select 1',
      ...body,
    });
    expect([response.status, response.body.message]).toEqual([200, undefined]);
    return response.body.id as string;
  };
  const jobs = async (who = dev) => (await who.call('GET', '/jobs/cron')).body.jobs;
  const remove = (id: string) => dev.call('DELETE', `/jobs/cron/${id}`);

  test('are created, changed, paused and removed', async () => {
    const id = await create({ name: 'nightly', active: false });
    expect(await jobs()).toEqual([
      {
        id,
        name: 'nightly',
        schedule: '0 3 * * *',
        command: 'select 1',
        database: expect.any(String),
        role: 'postgres',
        active: false,
        mine: true,
        last_run: null,
      },
    ]);
    const change = { schedule: '30 seconds', command: `select '${secret}'`, active: true };
    expect((await dev.call('PATCH', `/jobs/cron/${id}`, change)).status).toBe(204);
    expect(await jobs()).toEqual([expect.objectContaining({ id, ...change })]);
    expect((await remove(id)).status).toBe(204);
    expect([await jobs(), (await remove(id)).status]).toEqual([[], 404]);
    expect(await audited('cron.create')).toMatchObject([{ target: 'nightly', operator_name: 'dev' }]);
    expect(await audited('cron.change')).toMatchObject([
      {
        detail: {
          changes: [
            { name: 'schedule', from: '0 3 * * *', to: '30 seconds' },
            { name: 'active', from: 'false', to: 'true' },
            { name: 'command', hidden: 'changed' },
          ],
        },
      },
    ]);
    expect(JSON.stringify([await audited('cron.change'), await audited('cron.remove')])).not.toContain(
      'hunter2',
    );
  });

  test("a taken name and an invalid schedule are rejected with the database's message", async () => {
    const id = await create({ name: 'taken' });
    const again = await dev.call('POST', '/jobs/cron', {
      name: 'taken',
      schedule: '* * * * *',
      command: 'select 2',
    });
    expect([again.status, again.body.code]).toEqual([409, 'taken']);
    const wrong = await dev.call('POST', '/jobs/cron', {
      name: 'wrong',
      schedule: 'soon',
      command: 'select 2',
    });
    expect([wrong.status, wrong.body.message]).toEqual([422, 'invalid schedule: soon']);
    expect(wrong.body.hint).toContain('5 4 * * *');
    expect(await jobs()).toMatchObject([{ name: 'taken', schedule: '0 3 * * *' }]);
    await remove(id);
  });

  test('can be run immediately, and every run is listed', async () => {
    const good = await create({ name: 'good', command: 'select generate_series(1, 3)' });
    const bad = await create({ name: 'bad', command: `select '${secret}'::int` });
    for (const id of [good, bad]) expect((await dev.call('POST', `/jobs/cron/${id}/run`)).status).toBe(200);
    const runsOf = async (id: string, who = dev) =>
      (await who.call('GET', `/jobs/cron/${id}/runs`)).body.runs;
    await expect.poll(() => runsOf(good)).toMatchObject([{ status: 'succeeded', message: '3 rows' }]);
    await expect.poll(() => runsOf(bad)).toMatchObject([{ status: 'failed' }]);
    expect((await runsOf(bad))[0].message).toContain('hunter2');
    expect((await dev.call('GET', `/jobs/cron/${good}/runs?failed=true`)).body.runs).toEqual([]);
    expect((await jobs()).find((job: { id: string }) => job.id === bad).last_run.status).toBe('failed');
    // The responses contain neither the job's command nor the messages that quote the command.
    const seen = await textOf(looker, ['/jobs/cron', `/jobs/cron/${bad}/runs`, `/jobs/cron/${good}/runs`]);
    expect(seen).not.toContain('hunter2');
    expect(seen).toContain('"status":"failed"');
    await dev.call('PATCH', `/jobs/cron/${good}`, { active: false });
    expect((await dev.call('POST', `/jobs/cron/${good}/run`)).body.code).toBe('refused');
    for (const id of [good, bad]) await remove(id);
  });

  test('have a paged list of runs', async () => {
    const id = await create({ name: 'often' });
    await postgres().query(sql`
      insert into cron.job_run_details (jobid, status, start_time) select ${id}::bigint, 'succeeded', now()
      from generate_series(1, 60)`);
    const first = (await dev.call('GET', `/jobs/cron/${id}/runs`)).body;
    expect([first.runs.length, first.more]).toEqual([50, true]);
    const rest = (await dev.call('GET', `/jobs/cron/${id}/runs?before=${first.runs.at(-1).id}`)).body;
    expect([rest.runs.length, rest.more]).toEqual([10, false]);
    await remove(id);
  });

  test('of other users are listed but can’t be changed', async () => {
    await admin().exec(`select cron.schedule('system', '0 0 1 1 *', 'select ''hers''')`);
    const [job] = await jobs();
    expect(job).toMatchObject({ name: 'system', role: 'supabase_admin', mine: false });
    const attempts = await Promise.all([
      owner.call('PATCH', `/jobs/cron/${job.id}`, { command: 'alter role postgres superuser' }),
      owner.call('DELETE', `/jobs/cron/${job.id}`),
      owner.call('POST', `/jobs/cron/${job.id}/run`),
    ]);
    expect(attempts.map(({ body }) => body.code)).toEqual(['refused', 'refused', 'refused']);
    await admin().exec(`select cron.unschedule('system')`);
  });
});

describe('webhooks', () => {
  const hook = (more: object = {}) => ({
    schema: 'public',
    table: 'tasks',
    name: 'tell',
    events: ['insert', 'update'],
    url: `${targetUrl}/hook/hunter2`,
    method: 'POST',
    headers: { authorization: secret, 'Content-Type': 'application/json' },
    params: { key: 'hunter2' },
    timeoutMs: 5000,
    ...more,
  });
  const list = async (who = dev) => (await who.call('GET', '/jobs/webhooks')).body.webhooks;
  const path = '/jobs/webhooks/public/tasks/tell';
  const deliveries = async (who = dev) => (await who.call('GET', `${path}/deliveries`)).body.deliveries;

  test('are created, deliver rows, and show the response', async () => {
    expect((await dev.call('POST', '/jobs/webhooks', hook())).status).toBe(204);
    await postgres().exec(`update public.tasks set title = 'told' where id = 1`);
    await expect
      .poll(() => deliveries())
      .toMatchObject([{ outcome: 'answered', status: 200, content: 'heard: hush', error: null }]);
    const [sent] = received.filter(({ url }) => url === '/hook/hunter2?key=hunter2');
    expect([sent?.headers.authorization, JSON.parse(sent?.body ?? '').type]).toEqual([secret, 'UPDATE']);
    expect(await list()).toMatchObject([
      {
        ...hook(),
        headers: [
          ['authorization', secret],
          ['Content-Type', 'application/json'],
        ],
        params: [['key', 'hunter2']],
        enabled: true,
        isPlain: true,
        last_delivery: { outcome: 'answered' },
      },
    ]);
  });

  test('don’t show keys to a read-only operator on the page, in the structure, in SQL or in the log', async () => {
    expect(await list(looker)).toMatchObject([
      {
        name: 'tell',
        url: `${targetUrl}/…`,
        headers: [
          ['authorization', null],
          ['Content-Type', null],
        ],
        definition: null,
      },
    ]);
    expect(await deliveries(looker)).toMatchObject([{ outcome: 'answered', status: 200, content: null }]);
    const paths = [
      '/jobs/webhooks',
      `${path}/deliveries`,
      '/tables/public/tasks/structure',
      '/audit',
      '/jobs/requests/answered',
    ];
    const seen = await textOf(looker, paths);
    expect(seen).toContain('EXECUTE FUNCTION supabase_functions.http_request(…)');
    expect(seen).not.toContain('hunter2');
    expect(seen).not.toContain('hush');
    expect(JSON.stringify((await dev.call('GET', '/tables/public/tasks/structure')).body)).toContain(
      'hunter2',
    );
    // PostgreSQL's statistics contain the exact text of utility statements. The statement runs immediately before the
    // check, because other tests in the cluster can evict older entries.
    await postgres().exec(`do $$ begin perform 'hunter2'; end $$`);
    const statements = await textOf(dev, [
      '/tables/extensions/pg_stat_statements/rows?limit=200&filters=[{"column":"query","operator":"contains","value":"hunter2"}]',
    ]);
    expect(statements).toContain('hunter2');
    const refused = await looker.call('GET', '/tables/extensions/pg_stat_statements/rows');
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    const asked = await looker.call('POST', '/sql/look', {
      text: 'select query from extensions.pg_stat_statements',
    });
    expect(asked.body).toContain("can't read extensions.pg_stat_statements");
    const looked = await looker.call('POST', '/sql/look', {
      text: 'select pg_get_triggerdef(oid::oid) from generate_series(16384, 30000) oid',
    });
    expect(looked.body).toContain("can't call pg_catalog.pg_get_triggerdef");
  });

  test('that are created on the structure page don’t add their keys to the log', async () => {
    const changes = [
      {
        kind: 'create_trigger',
        schema: 'public',
        table: 'keyless',
        name: 'by_hand',
        timing: 'after',
        events: ['insert'],
        forEach: 'row',
        function: { schema: 'supabase_functions', name: 'http_request' },
        arguments: [targetUrl, 'POST', JSON.stringify({ authorization: secret })],
      },
    ];
    const response = await dev.call('POST', '/schema/apply', { changes });
    expect(response.body.statements[0]).toContain('hunter2');
    const log = JSON.stringify(await audited('schema.change'));
    expect(log).toContain('by_hand');
    expect(log).not.toContain('hunter2');
    await dev.call('DELETE', '/jobs/webhooks/public/keyless/by_hand');
  });

  test('can be disabled, enabled, changed and removed', async () => {
    await dev.call('PATCH', path, { enabled: false });
    const before = received.length;
    await postgres().exec(`update public.tasks set title = 'not told' where id = 1`);
    const changed = hook({
      name: 'tell "all"; --',
      events: ['delete'],
      url: `${targetUrl}/fails`,
      params: {},
    });
    expect((await dev.call('PUT', path, changed)).status).toBe(204);
    const moved = `/jobs/webhooks/public/tasks/${encodeURIComponent('tell "all"; --')}`;
    expect(await list()).toMatchObject([{ name: 'tell "all"; --', events: ['delete'], enabled: false }]);
    await dev.call('PATCH', moved, { enabled: true });
    await postgres().exec(`delete from public.tasks where id = 1`);
    await expect
      .poll(async () => (await dev.call('GET', `${moved}/deliveries`)).body.deliveries)
      .toMatchObject([{ outcome: 'answered', status: 500 }]);
    expect(received.slice(before).map(({ url }) => url)).toEqual(['/fails']);
    expect((await dev.call('DELETE', moved)).status).toBe(204);
    expect([await list(), (await dev.call('DELETE', moved)).status]).toEqual([[], 404]);
    const log = JSON.stringify(
      await Promise.all(['create', 'change', 'remove'].map((verb) => audited(`webhook.${verb}`))),
    );
    expect(log).toContain(targetUrl);
    expect(log).not.toContain('hunter2');
  });

  test('with a condition can be disabled and removed, but not changed', async () => {
    await postgres().exec(`create trigger picky after update of title on public.tasks for each row when (new.done)
      execute function supabase_functions.http_request('${targetUrl}', 'POST')`);
    expect(await list()).toMatchObject([{ name: 'picky', isPlain: false, timeoutMs: 1000 }]);
    const picky = '/jobs/webhooks/public/tasks/picky';
    expect((await dev.call('PUT', picky, hook({ name: 'picky' }))).body.code).toBe('refused');
    expect((await dev.call('DELETE', picky)).status).toBe(204);
  });

  test.each([
    ['an invalid URL', { url: 'javascript:alert(1)' }],
    ['a header with a line break', { headers: { 'x-a': 'b\r\nx-c: d' } }],
    ['no events', { events: [] }],
    ['an event that has no row', { events: ['truncate'] }],
  ])('with %s are rejected', async (_name, more) => {
    expect((await dev.call('POST', '/jobs/webhooks', hook(more))).status).toBe(400);
    expect(await list()).toEqual([]);
  });

  test('on a table of another owner are rejected by the database', async () => {
    const response = await dev.call(
      'POST',
      '/jobs/webhooks',
      hook({ schema: '_plinth', table: 'operators' }),
    );
    expect([response.status, response.body.sqlstate]).toEqual([422, '42501']);
  });
});

describe('requests', () => {
  test('that were answered or failed are listed, and operators with access to secrets can open them', async () => {
    await postgres().exec(
      `select net.http_get('${targetUrl}/fails'), net.http_get('http://127.0.0.1:1/hunter2')`,
    );
    const failed = async () => (await dev.call('GET', '/jobs/requests/answered?failed=true')).body.requests;
    await expect.poll(async () => (await failed()).length).toBeGreaterThanOrEqual(2);
    const [refused] = (await failed()).filter(({ status }: { status: number | null }) => status === null);
    expect(refused.error).toBe("Couldn't connect to server");
    const [answered] = (await failed()).filter(({ status }: { status: number }) => status === 500);
    const opened = await dev.call('GET', `/jobs/requests/answered/${answered.id}`);
    expect(opened.body).toMatchObject({ content: 'heard: hush', content_type: 'text/plain' });
    expect((await looker.call('GET', `/jobs/requests/answered/${answered.id}`)).status).toBe(403);
    expect(JSON.stringify((await looker.call('GET', '/jobs/requests/answered')).body)).not.toContain(
      'connect',
    );
  });

  test('that are pending are listed and can be canceled', async () => {
    // The session that holds the lock is treated as the sender of the request.
    const id = '900000';
    const holder = await postgres().connect();
    await holder.query(sql`select pg_advisory_lock(${0x706e6574}::int, ${id}::int)`);
    await holder.query(sql`
      insert into net.http_request_queue (id, method, url, headers, body, timeout_milliseconds) values (${id}::bigint,
        'POST', 'https://a.example/hunter2', ${{ authorization: secret }}, convert_to('the body', 'UTF8'), 1000)`);
    const shown = (await looker.call('GET', '/jobs/requests/waiting')).body;
    expect(shown).toMatchObject({
      count: 1,
      requests: [{ id, url: 'https://a.example/…', headers: [['authorization', null]], body_bytes: 8 }],
    });
    expect((await dev.call('GET', `/jobs/requests/waiting/${id}`)).body).toMatchObject({
      url: 'https://a.example/hunter2',
      headers: [['authorization', secret]],
      body: 'the body',
    });
    expect((await looker.call('GET', `/jobs/requests/waiting/${id}`)).status).toBe(403);
    expect((await looker.call('DELETE', `/jobs/requests/waiting/${id}`)).status).toBe(403);
    expect((await dev.call('DELETE', `/jobs/requests/waiting/${id}`)).status).toBe(204);
    expect((await dev.call('DELETE', `/jobs/requests/waiting/${id}`)).status).toBe(404);
    expect(await audited('request.cancel')).toMatchObject([{ target: id }]);
    holder.destroy();
  });

  test('have correct pages, even if many completed at the same time', async () => {
    await postgres().exec(`
      insert into net._http_response (id, status_code, created)
      select 100000 + i, 418, '2026-01-01 00:00:00+00' from generate_series(1, 120) i`);
    const seen: string[] = [];
    let before = '';
    for (let more = true; more; ) {
      const { body } = await dev.call(
        'GET',
        `/jobs/requests/answered?${new URLSearchParams({ failed: 'true', ...(before === '' ? {} : { before }) })}`,
      );
      seen.push(
        ...body.requests
          .filter(({ status }: { status: number }) => status === 418)
          .map(({ id }: { id: string }) => id),
      );
      const last = body.requests.at(-1);
      before = `${last.answered_at},${last.id}`;
      more = body.more;
    }
    expect([seen.length, new Set(seen).size]).toEqual([120, 120]);
  });
});

describe('queues', () => {
  const list = async (who = dev) => (await who.call('GET', '/jobs/queues')).body.queues;
  const messages = async (query = '') =>
    (await looker.call('GET', `/jobs/queues/letters/messages${query}`)).body;

  test('are created with row-level security, and a name can be used only once', async () => {
    expect((await dev.call('POST', '/jobs/queues', { name: 'letters' })).status).toBe(204);
    expect((await dev.call('POST', '/jobs/queues', { name: 'letters' })).body.code).toBe('taken');
    for (const name of ['Upper', 'a;b', '', 'q'.repeat(48)])
      expect([name, (await dev.call('POST', '/jobs/queues', { name })).status]).toEqual([name, 400]);
    expect(await list(looker)).toMatchObject([
      {
        name: 'letters',
        table: 'q_letters',
        rls: true,
        unlogged: false,
        length: 0,
        visible: 0,
        oldest_seconds: null,
      },
    ]);
  });

  test('accept messages, which can be viewed without being read', async () => {
    const big = '{"n": 12345678901234567890}';
    for (const message of [big, '"text"', '{"third": true}'])
      expect((await dev.call('POST', '/jobs/queues/letters/messages', { message })).status).toBe(200);
    const delayed = { message: '1', headers: '{"x": "y"}', delaySeconds: 600 };
    await dev.call('POST', '/jobs/queues/letters/messages', delayed);
    const first = await messages();
    expect(first.messages).toMatchObject([
      { id: '1', message: big, read_count: 0, is_hidden: false },
      { id: '2', message: '"text"' },
      { id: '3' },
      { id: '4', is_hidden: true, headers: '{"x": "y"}' },
    ]);
    expect((await messages()).messages).toEqual(first.messages);
    expect((await messages('?after=2')).messages.map(({ id }: { id: string }) => id)).toEqual(['3', '4']);
    expect(await list()).toMatchObject([{ length: 4, visible: 3 }]);
    const wrong = await dev.call('POST', '/jobs/queues/letters/messages', { message: '{' });
    expect([wrong.status, wrong.body.message]).toEqual([400, "message: isn't valid JSON"]);
  });

  test('show a truncated message in the list and the complete one when it is opened', async () => {
    const message = JSON.stringify('m'.repeat(9000));
    const { id } = (await dev.call('POST', '/jobs/queues/letters/messages', { message })).body;
    const listed = (await messages()).messages.at(-1);
    expect([listed.message.length, listed.message_chars]).toEqual([2000, 9002]);
    expect((await looker.call('GET', `/jobs/queues/letters/messages/${id}`)).body.message).toBe(message);
    await dev.call('POST', '/jobs/queues/letters/messages/remove', { ids: [id] });
    expect((await looker.call('GET', `/jobs/queues/letters/messages/${id}`)).status).toBe(404);
  });

  test('can be archived from, emptied and dropped', async () => {
    expect(
      (await dev.call('POST', '/jobs/queues/letters/messages/archive', { ids: ['1', '99'] })).body,
    ).toEqual({
      ids: ['1'],
    });
    expect((await messages('?of=archive')).messages).toMatchObject([
      { id: '1', archived_at: expect.stringMatching(/^\d{4}-/) },
    ]);
    expect((await dev.call('POST', '/jobs/queues/letters/purge')).body).toEqual({ count: 3 });
    expect((await messages()).messages).toEqual([]);
    expect((await dev.call('DELETE', '/jobs/queues/letters')).status).toBe(204);
    expect([await list(), (await dev.call('DELETE', '/jobs/queues/letters')).status]).toEqual([[], 404]);
    expect(await audited('queue.purge')).toMatchObject([{ target: 'letters', detail: { count: 3 } }]);
    expect(await audited('queue.archive')).toMatchObject([{ detail: { ids: ['1'] } }]);
  });

  test('aren’t found if the name contains path segments', async () => {
    for (const name of ['letters"; drop table public.tasks; --', '../tables', 'LETTERS'])
      expect((await looker.call('GET', `/jobs/queues/${encodeURIComponent(name)}/messages`)).status).toBe(
        404,
      );
  });
});
