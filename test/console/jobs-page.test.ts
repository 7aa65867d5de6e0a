/**
 * Tests the Jobs pages in Chromium: with the keyboard, at every width, in both color schemes, and with hostile content.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser } from '../web/browser.ts';
import { pageStates, withStates } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectPanelAtEdge, expectSound, looks, signedIn } from './page-helpers.ts';

/** The page's title would change if this markup ran. */
const markup = `<img src=x onerror="document.title='pwned'">`;
const secret = 'Bearer hunter2';

let backend: Backend;
let browser: Browser;
let target: Server;
let targetUrl: string;
beforeAll(async () => {
  backend = await startBackend();
  await backend.operators.createOperator('looker', 'read-only');
  browser = await launchBrowser();
  target = createServer((_request, response) => void response.end(markup));
  await new Promise<void>((done) => target.listen(0, '127.0.0.1', done));
  targetUrl = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  target?.closeAllConnections();
  target?.close();
});
const run = (text: string): Promise<void> => backend.database.pool('postgres').exec(text);

test(
  'a page explains a feature that isn’t enabled, and a single key press enables it',
  withStates,
  async () => {
    const { page, complaints, go, close } = await signedIn(browser, backend);
    await go('/');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('j');
    await page.waitForURL('**/jobs/cron');
    await page.getByRole('heading', { name: 'Run SQL on a schedule' }).waitFor();
    await page.getByText('create extension if not exists pg_cron').waitFor();
    await expectSound(page, 'nothing is enabled');
    await page.getByRole('button', { name: 'Enable pg_cron' }).press('Enter');
    await page.getByRole('heading', { name: 'No scheduled jobs yet' }).waitFor();
    await go('/jobs/queues');
    await page.getByRole('button', { name: 'Enable pgmq' }).press('Enter');
    await page.getByRole('heading', { name: 'No queues yet' }).waitFor();
    await page.getByRole('link', { name: 'Webhooks' }).press('Enter');
    await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor();
    expect(complaints.list).toEqual([]);
    await close();
  },
);

describe('with everything enabled', () => {
  beforeAll(() => run('create extension if not exists pg_cron; create extension if not exists pgmq'));

  test(
    'a job can be created with the keyboard, run immediately, disabled and deleted',
    withStates,
    async () => {
      const { page, complaints, go, close } = await signedIn(browser, backend);
      await go('/jobs/cron');
      await page.getByRole('button', { name: 'New job' }).press('Enter');
      const form = page.getByRole('dialog');
      await form.getByLabel('Name').fill(markup);
      await form.getByRole('textbox', { name: 'Schedule' }).fill('sometimes');
      await form.getByText('Invalid schedule').waitFor();
      await form.getByLabel('Presets').selectOption('*/5 * * * *');
      await form.getByText(/^Every 5 minutes\. Next: /).waitFor();
      await form.getByLabel('Template').selectOption('Send an HTTP request');
      await expect.poll(() => form.getByLabel('Command').textContent()).toContain('net.http_post');
      await form.getByLabel('Command').fill(`select '${markup.replaceAll("'", "''")}'::int`);
      await form.getByRole('button', { name: 'Create job' }).press('Enter');
      const panel = page.getByRole('dialog', { name: markup });
      await panel.getByRole('button', { name: 'Run now' }).press('Enter');
      await panel.getByText('The job is running').waitFor();
      // The job can run twice, because the minute in which it is due may have just begun.
      await panel.getByText('invalid input syntax for type integer').first().waitFor({ timeout: 20_000 });
      await expectPanelAtEdge(page);
      await expectSound(page, 'a job that failed');
      await panel.getByRole('button', { name: 'Edit' }).press('Enter');
      const edit = page.getByRole('dialog', { name: `Edit ${markup}` });
      await edit.getByRole('textbox', { name: 'Schedule' }).fill('30 3 * * 1');
      await edit.getByRole('button', { name: 'Save' }).press('Enter');
      await panel.getByText('At 03:30, on Monday').waitFor();
      await edit.waitFor({ state: 'detached' });
      await page.keyboard.press('Escape');
      // The page stays inert until the panel is closed.
      await panel.waitFor({ state: 'detached' });
      const row = page.getByRole('row').filter({ hasText: markup });
      await row.getByRole('checkbox').press('Space');
      await row.getByText('disabled').waitFor();
      await row.getByRole('link').press('Enter');
      await panel.getByRole('button', { name: 'Run now', disabled: true }).waitFor();
      await panel.getByRole('button', { name: 'Delete' }).press('Enter');
      await page
        .getByRole('dialog', { name: /^Delete/ })
        .getByRole('button', { name: 'Delete' })
        .press('Enter');
      await page.getByRole('heading', { name: 'No scheduled jobs yet' }).waitFor();
      expect(await page.title()).not.toBe('pwned');
      expect(complaints.list).toEqual([]);
      await close();
    },
  );

  test('every list says if the item in the URL doesn’t exist', withStates, async () => {
    const { page, complaints, go, close } = await signedIn(browser, backend);
    for (const [path, title] of [
      ['cron?id=nothing', 'Job nothing not found'],
      ['webhooks?id=nothing', 'Webhook not found'],
      ['queues?id=nothing', 'Queue nothing not found'],
      ['requests?answered=nothing', 'Request nothing not found'],
      ['requests?answered=987654321', "This request doesn't exist."],
    ] as const) {
      await go(`/jobs/${path}`);
      const note = page.getByRole('alert').filter({ hasText: title });
      await note.waitFor();
      if (path === 'cron?id=nothing') await expectSound(page, 'a job that doesn’t exist');
      await note.getByRole('button', { name: 'Back to the list' }).press('Enter');
      await note.waitFor({ state: 'detached' });
    }
    expect(complaints.list.filter((each) => !each.includes('404'))).toEqual([]);
    await close();
  });

  test(
    'a webhook can be created with the keyboard and is called, and its response is shown as text',
    withStates,
    async () => {
      const { page, complaints, go, close } = await signedIn(browser, backend);
      await go('/jobs/webhooks');
      await page.getByRole('button', { name: 'New webhook' }).press('Enter');
      const form = page.getByRole('dialog', { name: 'New webhook' });
      await form.getByLabel('Name').fill('tell');
      await form.getByLabel('Table').selectOption('public.tasks');
      await form.getByLabel('Update').press('Space');
      await form.getByLabel('URL').fill(`${targetUrl}/hook`);
      await form.getByLabel('Headers, one per line').fill('no header');
      await form.getByRole('button', { name: 'Create webhook' }).press('Enter');
      await form.getByText('Line 1 isn’t').waitFor();
      await expectSound(page, 'a form with a fault');
      await form.getByLabel('Headers, one per line').fill(`authorization: ${secret}`);
      await form.getByRole('button', { name: 'Create webhook' }).press('Enter');
      const panel = page.getByRole('dialog', { name: 'tell' });
      await panel.getByText('No deliveries yet').waitFor();
      await run(`update public.tasks set title = 'told' where id = 1`);
      await panel.getByText(markup).waitFor({ timeout: 20_000 });
      await panel.getByText('200', { exact: true }).waitFor();
      await expectSound(page, 'deliveries');
      await panel.getByRole('button', { name: 'Edit' }).press('Enter');
      const edit = page.getByRole('dialog', { name: 'Edit tell' });
      await expect
        .poll(() => edit.getByLabel('Headers, one per line').inputValue())
        .toBe(`authorization: ${secret}`);
      await edit.getByLabel('Name').fill('tell others');
      await edit.getByRole('button', { name: 'Save' }).press('Enter');
      await page.getByRole('dialog', { name: 'tell others' }).waitFor();
      expect(page.url()).toContain('tell');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      const row = page.getByRole('row').filter({ hasText: 'tell others' });
      await row.getByRole('checkbox').press('Space');
      await expect.poll(() => row.getByRole('checkbox').isChecked()).toBe(false);
      await page.getByRole('link', { name: 'Requests' }).press('Enter');
      const answered = page.getByRole('table', { name: 'Completed' });
      await answered.getByRole('columnheader', { name: 'Content type or error' }).waitFor();
      await answered.getByRole('link').first().press('Enter');
      await page.getByRole('dialog').getByText(markup).waitFor();
      await expectSound(page, 'an answer');
      expect(complaints.list).toEqual([]);
      await close();
    },
  );

  test('a queue can be created, filled, viewed, archived from, emptied and deleted', withStates, async () => {
    const { page, complaints, go, close } = await signedIn(browser, backend);
    await go('/jobs/queues');
    await page.getByRole('button', { name: 'New queue' }).press('Enter');
    await page.getByRole('dialog').getByLabel('Name').fill('letters');
    await page.getByRole('dialog').getByRole('button', { name: 'Create queue' }).press('Enter');
    const panel = page.getByRole('dialog', { name: 'letters' });
    await panel.getByText('No messages.').waitFor();
    await panel.getByRole('button', { name: 'Send message' }).press('Enter');
    const form = page.getByRole('dialog', { name: 'Send message' });
    await form.getByLabel('Message (JSON)').fill('{');
    await form.getByRole('button', { name: 'Send' }).press('Enter');
    await form.getByText('Invalid JSON').waitFor();
    await form.getByLabel('Message (JSON)').fill(JSON.stringify({ markup }));
    await form.getByRole('button', { name: 'Send' }).press('Enter');
    await panel.getByText('Message 1 was added to the queue.').waitFor();
    await run(`select pgmq.send('letters', to_jsonb(repeat('long ', 2000)), 600)`);
    await panel.getByText('hidden until').waitFor();
    await panel.getByRole('button', { name: /Show all 10,002/ }).press('Enter');
    await expect
      .poll(async () => (await panel.getByRole('region', { name: 'Message 2' }).textContent())?.length)
      .toBe(10_002);
    await expectSound(page, 'messages');
    await panel.getByRole('checkbox', { name: 'Message 1' }).press('Space');
    await panel.getByRole('button', { name: 'Archive 1 message' }).press('Enter');
    await panel.getByRole('checkbox', { name: 'Message 1' }).waitFor({ state: 'detached' });
    await panel.getByLabel('Show').selectOption('Archived');
    await panel.getByText(/^archived /).waitFor();
    await expectSound(page, 'the archive');
    await panel.getByRole('button', { name: 'Purge' }).press('Enter');
    await page.getByRole('dialog', { name: 'Purge letters?' }).getByRole('textbox').fill('letters');
    await page.keyboard.press('Enter');
    await panel.getByLabel('Show').selectOption('Queued');
    await panel.getByText('No messages.').waitFor();
    await panel.getByRole('button', { name: 'Delete queue' }).press('Enter');
    await page.getByRole('dialog', { name: 'Delete letters?' }).getByRole('textbox').fill('letters');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No queues yet' }).waitFor();
    expect(complaints.list).toEqual([]);
    await close();
  });
});

describe('with content', () => {
  beforeAll(async () => {
    await run(`
      create extension if not exists pg_cron;
      create extension if not exists pgmq;
      select cron.schedule('nightly', '0 3 * * *', 'select ''${secret}''');
      select cron.schedule('working-hours', '*/15 9-17 * * mon-fri', 'select 1');
      select cron.schedule('${markup.replaceAll("'", "''")}', '0 0 1 1 *', 'select 1');
      select pgmq.create('jobs'), pgmq.create_unlogged('quick');
      select pgmq.send('jobs', '{"n": 1}');
      create trigger "with a rather long name" after delete on public.keyless for each row
        execute function supabase_functions.http_request('${targetUrl}/${'path/'.repeat(30)}', 'POST', '{"authorization": "${secret}"}');
      select net.http_get('http://127.0.0.1:1/');`);
    await backend.database.pool('supabase_admin').exec(`
      insert into cron.job_run_details (jobid, runid, database, username, command, status, return_message, start_time, end_time)
      select jobid, nextval('cron.runid_seq'), database, username, command, 'failed', 'ERROR: no', now() - interval '3 days', now()
      from cron.job where schedule = '0 0 1 1 *'`);
  });

  test('a read-only operator doesn’t see keys or controls that change data', async () => {
    const { page, complaints, go, close } = await signedIn(browser, backend, {}, 'looker');
    for (const [path, ready] of [
      ['/jobs/cron', 'nightly'],
      ['/jobs/cron?id=1', 'Jobs'],
      ['/jobs/webhooks', 'with a rather long name'],
      ['/jobs/webhooks?id=public.keyless.with a rather long name', 'hidden from your role'],
      ['/jobs/requests', 'No requests are queued.'],
      ['/jobs/queues', 'quick'],
      ['/jobs/queues?id=jobs', '"n": 1'],
    ] as const) {
      await go(path);
      await page.getByText(ready).first().waitFor();
      expect([path, (await page.content()).includes('hunter2')]).toEqual([path, false]);
      for (const name of [/^New/, 'Edit', /^Delete/, 'Run now', 'Send message', 'Purge'])
        expect([path, name, await page.getByRole('button', { name }).count()]).toEqual([path, name, 0]);
      for (const box of await page.locator('table').getByRole('checkbox').all())
        expect(await box.isDisabled()).toBe(true);
    }
    expect(complaints.list).toEqual([]);
    await close();
  });

  test.each(looks)(
    'every page is accessible at $width px, $colorScheme first',
    { ...pageStates, timeout: 120_000 },
    async ({ colorScheme, ...viewport }) => {
      const { page, complaints, go, close } = await signedIn(browser, backend, { viewport, colorScheme });
      for (const [path, ready] of [
        ['/jobs/cron', 'working-hours'],
        ['/jobs/webhooks', 'with a rather long name'],
        ['/jobs/webhooks?id=public.keyless.with a rather long name', 'Trigger'],
        ['/jobs/requests', 'Responses are kept for six hours.'],
        ['/jobs/queues', 'quick'],
        ['/jobs/queues?id=jobs', '"n": 1'],
      ] as const) {
        await go(path);
        await page.getByText(ready).first().waitFor();
        await expectSound(page, path);
      }
      await go('/jobs/cron');
      await page.getByRole('link', { name: 'nightly' }).press('Enter');
      await page.getByText('No runs yet').waitFor();
      await expectSound(page, 'a job');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'New job' }).press('Enter');
      await page.getByLabel('Command').waitFor();
      await expectSound(page, 'a new job');
      expect(complaints.list).toEqual([]);
      await close();
    },
  );
});
