/** Tests alerts with real receivers: what each receiver gets, retries, reminders, and what operators see. */
import { createHash, createHmac } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { type Arrived, openTarget, type Target } from '../jobs/target.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, type Operator, operator } from './harness.ts';
import { expectSound, type SignedIn, signedIn } from './page-helpers.ts';

const key = createHash('sha256').update('alerts').digest();
let target: Target;
let backend: Backend;
let owner: Operator;
let browser: Browser;
beforeAll(async () => {
  target = await openTarget();
  backend = await createTestBackend({
    config: {
      plinth: {
        branding: { name: 'Shop' },
        alerts: {
          after: 0,
          receivers: {
            ops: { to: ['ops@shop.test', 'boss@shop.test'], problems: ['sign-in-attacks'] },
            hook: {
              ...{ kind: 'webhook', url: `${target.url}/hook?key=hunter2` },
              ...{ secret: `whsec_${key.toString('base64')}`, problems: ['sign-in-attacks', 'jobs'] },
            },
            chat: { kind: 'slack', url: `${target.url}/chat/hunter2`, problems: ['jobs'] },
            night: { kind: 'slack', url: `${target.url}/night`, quiet_hours: `${timeIn(-2)}-${timeIn(2)}` },
            off: { enabled: false, to: ['off@shop.test'] },
          },
        },
      },
    },
  });
  await backend.operators.createOperator('looker', 'read-only');
  owner = await operator(backend);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  await target?.close();
});

const db = () => backend.database.pool('supabase_admin');
const answerOk = () => target.answer((_request, response) => response.end('ok'));
const check = async () => expect((await owner.call('POST', '/alerts/check')).status).toBe(204);
const startAttack = (failures = 150) =>
  db().query(sql`
    insert into _plinth.guess_streaks (key, failures, last_at) values ('alerts test', ${failures}::int, now())
    on conflict (key) do update set failures = excluded.failures, last_at = now()`);
const endAttack = () => db().query(sql`delete from _plinth.guess_streaks where key = 'alerts test'`);
const arrivedAt = (path: string) => target.arrived.filter(({ url }) => url.startsWith(path));
/** Makes the messages that wait for their next attempt due. */
const hurry = () =>
  db().query(sql`update _plinth.alert_messages set next_attempt_at = now() where receiver <> 'night'`);
const inbox = async (): Promise<readonly { readonly to: string; readonly subject: string }[]> =>
  (await owner.call('GET', '/inbox')).body.messages;
/** A time of day in UTC, such as 22:00. */
const timeIn = (hours: number): string =>
  new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16);

beforeEach(async () => {
  await endAttack();
  await db().query(sql`delete from _plinth.alerts`);
  await owner.call('DELETE', '/inbox');
  target.arrived.length = 0;
  answerOk();
});

describe('a problem', () => {
  test('is reported once to everyone who wants it, and its end too', async () => {
    await startAttack();
    await check();
    await check();
    const expectedSubject = '[Shop] 150 wrong passwords or codes for 1 account in ten minutes';
    const mails = await inbox();
    expect(mails.map(({ to }) => to).sort()).toEqual(['boss@shop.test', 'ops@shop.test']);
    expect(mails.map(({ subject: text }) => text)).toEqual([expectedSubject, expectedSubject]);
    expect(arrivedAt('/hook')).toHaveLength(1);
    await endAttack();
    await check();
    const subjects = (await inbox()).map(({ subject: text }) => text);
    expect(subjects.filter((text) => text.startsWith('[Shop] Resolved: 150 wrong'))).toHaveLength(2);
    expect(arrivedAt('/hook').map(({ body }) => JSON.parse(body).type)).toEqual([
      'alert.raised',
      'alert.resolved',
    ]);
    expect(arrivedAt('/chat')).toEqual([]);
  });

  test('reaches a webhook as a request that is signed as Standard Webhooks', async () => {
    await startAttack();
    await check();
    const [request] = arrivedAt('/hook');
    const { headers, body } = request as Arrived;
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = headers;
    const expected = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64');
    expect(signature).toBe(`v1,${expected}`);
    expect(JSON.parse(body)).toMatchObject({
      type: 'alert.raised',
      data: {
        ...{ project: 'Shop', kind: 'sign-in-attacks', severity: 'error' },
        url: expect.stringMatching(/\/console\/logs\?service=auth&status=%224%22&minutes=%2260%22$/),
      },
    });
  });

  test('whose text contains markup of Slack mentions no one', async () => {
    await backend.database.pool('postgres').exec(`
      create extension if not exists pg_cron;
      select cron.schedule('<!channel> & <https://evil.test|click>', '0 0 1 1 *', 'select 1/0')`);
    await db().query(sql`
      insert into cron.job_run_details (jobid, status, start_time, end_time)
      select jobid, 'failed', now(), now() from cron.job where jobname like '<!channel>%'`);
    try {
      await check();
      const [{ body } = { body: '{}' }] = arrivedAt('/chat');
      const { text } = JSON.parse(body);
      expect(text).toContain('&lt;!channel&gt; &amp; &lt;https://evil.test|click&gt;');
      expect(text.match(/<[^>]*>/g)).toEqual([expect.stringContaining('|Open the page in the Console>')]);
    } finally {
      await backend.database.pool('postgres').exec(`
        select cron.unschedule(jobname) from cron.job where jobname like '<!channel>%'`);
    }
  });

  test('is reported again to a receiver that was down, with the same ID', async () => {
    target.answer((_request, response) => response.writeHead(503).end());
    await startAttack();
    await check();
    const { receivers } = (await owner.call('GET', '/alerts')).body;
    expect(receivers.find(({ name }: { name: string }) => name === 'hook')).toMatchObject({
      waiting: 1,
      error: 'The receiver responded with 503.',
    });
    await check();
    expect(arrivedAt('/hook')).toHaveLength(1);
    answerOk();
    await hurry();
    await check();
    const ids = arrivedAt('/hook').map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([ids[0], ids[0]]);
    expect((await owner.call('GET', '/alerts')).body.receivers[1]).toMatchObject({ waiting: 0, error: null });
  });

  test('that ends before a receiver could be told is not reported to it', async () => {
    target.answer((_request, response) => response.writeHead(503).end());
    await startAttack();
    await check();
    await endAttack();
    answerOk();
    await check();
    await hurry();
    await check();
    expect(arrivedAt('/hook')).toHaveLength(1);
    expect((await inbox()).filter(({ subject: text }) => text.includes('Resolved'))).toHaveLength(2);
  });

  test('is repeated after a day', async () => {
    await startAttack();
    await check();
    await db().query(sql`update _plinth.alert_messages set created_at = created_at - interval '25 hours'`);
    await check();
    await check();
    expect(arrivedAt('/hook').map(({ body }) => JSON.parse(body).type)).toEqual([
      'alert.raised',
      'alert.reminder',
    ]);
  });

  test('waits in quiet hours', async () => {
    await startAttack();
    await check();
    expect(arrivedAt('/night')).toEqual([]);
    const [row] = await db().query(sql`
      select count(*)::int as waiting from _plinth.alert_messages
      where receiver = 'night' and next_attempt_at > now() - interval '1 minute'`);
    expect(row).toEqual({ waiting: 1 });
  });

  test('is reported once although several checks run at the same time', async () => {
    await startAttack();
    await Promise.all([check(), check(), check(), check()]);
    expect(arrivedAt('/hook')).toHaveLength(1);
  });
});

test('another process that holds the lease is left to it', async () => {
  await db().query(sql`
    insert into _plinth.alert_watch (holder, held_until) values (gen_random_uuid(), now() - interval '1 second')
    on conflict (is_only) do update set holder = excluded.holder, held_until = excluded.held_until`);
  await startAttack();
  await check();
  expect(arrivedAt('/hook')).toHaveLength(1);
});

test('the home page lists an attack', async () => {
  await startAttack();
  const { problems } = (await owner.call('GET', '/home/problems')).body;
  expect(problems).toContainEqual({
    ...{ kind: 'sign-in-attack', severity: 'error', accounts: 1, failures: 150 },
  });
});

describe('operators', () => {
  test('see receivers without the secret parts of their URLs', async () => {
    const { body } = await owner.call('GET', '/alerts');
    expect(
      body.receivers.map(({ name, target: shown }: { name: string; target: string }) => [name, shown]),
    ).toEqual([
      ['ops', 'ops@shop.test, boss@shop.test'],
      ['hook', target.url],
      ['chat', target.url],
      ['night', target.url],
      ['off', 'off@shop.test'],
    ]);
    expect(JSON.stringify(body)).not.toContain('hunter2');
  });

  test('send tests, which aren’t alerts', async () => {
    expect((await owner.call('POST', '/alerts/receivers/ops/test')).body).toEqual({ error: null });
    expect((await owner.call('POST', '/alerts/receivers/hook/test')).body).toEqual({ error: null });
    expect((await inbox()).map(({ subject: text }) => text)).toEqual([
      '[Shop] Test: this receiver gets alerts',
      '[Shop] Test: this receiver gets alerts',
    ]);
    expect(JSON.parse(arrivedAt('/hook')[0]?.body ?? '{}').type).toBe('alert.test');
    target.answer((_request, response) => response.writeHead(404).end());
    const { body } = await owner.call('POST', '/alerts/receivers/chat/test');
    expect(body).toEqual({ error: 'The receiver responded with 404.' });
    expect((await owner.call('GET', '/alerts')).body.alerts).toEqual([]);
    for (const name of ['off', 'unknown'])
      expect((await owner.call('POST', `/alerts/receivers/${name}/test`)).status).toBe(404);
  });

  test('who may only read see alerts, and can’t send anything', async () => {
    const looker = await operator(backend, 'looker');
    await startAttack();
    target.answer((_request, response) => response.writeHead(503).end());
    await check();
    const { body } = await looker.call('GET', '/alerts');
    expect(body.alerts).toHaveLength(1);
    expect(body.receivers[1].error).toBe('The last message was not sent.');
    for (const path of ['/alerts/check', '/alerts/receivers/ops/test'])
      expect((await looker.call('POST', path)).status).toBe(403);
  });
});

test('an operator finds the problem that an alert reports, and sends a test', async () => {
  await startAttack();
  await check();
  const { page, go, close } = await signedIn(browser, backend);
  await go('/alerts');
  await page.getByRole('button', { name: 'Send a test to ops' }).press('Enter');
  await page.getByText('ops has accepted the test.').waitFor();
  await endAttack();
  await page.getByRole('button', { name: 'Check now' }).press('Enter');
  await page.getByText('Ended').waitFor();
  await page.getByRole('link', { name: /150 wrong passwords or codes/ }).press('Enter');
  await page.waitForURL('**/logs?**service=auth**');
  await close();
});

async function showStates({ page, go }: SignedIn, name: (state: string) => Promise<void>): Promise<void> {
  await go('/alerts');
  await page
    .getByRole('link', { name: /wrong passwords or codes/ })
    .first()
    .waitFor();
  await name('alerts');
  await page.getByRole('button', { name: 'Send a test to chat' }).press('Enter');
  await page.getByText('chat didn’t get the test').waitFor();
  await name('failed test');
}

for (const { name, options, colorScheme } of [
  { name: 'wide and light', options: { viewport: { width: 1440, height: 900 } }, colorScheme: 'light' },
  { name: 'narrow and dark', options: { viewport: { width: 390, height: 844 } }, colorScheme: 'dark' },
] as const)
  test(`the page is sound: ${name}`, pageStates, async () => {
    target.answer((_request, response) => response.writeHead(404).end());
    await startAttack();
    await check();
    const signed = await signedIn(browser, backend, { ...options, colorScheme });
    await showStates(signed, async (state) => {
      if (process.env.PICTURES !== undefined)
        await signed.page.screenshot({ path: `${process.env.PICTURES}/${state} ${name}.png` });
      await expectSound(signed.page, `${state}, ${name}`);
    });
    await signed.close();
  });
