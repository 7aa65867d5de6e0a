/**
 * Tests in Chromium that an operator sees what is sent before a question is sent, that an answer is only a proposal, and
 * that hostile answers are text.
 */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { configFrom } from '../../src/platform/config/index.ts';
import { launchBrowser } from '../web/browser.ts';
import { testEach, withStates } from '../web/states.ts';
import { document, type Stub, startStub, streaming } from './ask/stub.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, signedIn } from './page-helpers.ts';

let stub: Stub;
let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  stub = await startStub();
  backend = await startBackend({
    config: configFrom({
      plinth: { console: { ask: { url: stub.url, model: 'stub-model', allow_rows: true } } },
    }),
  });
  await backend.operators.createOperator('looker', 'read-only');
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  await stub?.stop();
});

const fence = '```';
const answer = (text: string): string => `Here it is.\n\n${fence}sql\n${text}\n${fence}\n`;
const doneTasks = async (): Promise<unknown> =>
  (
    await backend.database.pool('postgres').query(sql`select count(*)::int as n from public.tasks where done`)
  )[0];

testEach([
  [1440, 'light'],
  [390, 'dark'],
])(
  '%i px wide, %s: a question is shown before it is sent, and its SQL is proposed and runs in read-only mode',
  async (width, colorScheme) => {
    const { page, complaints, go, close } = await signedIn(browser, backend, {
      viewport: { width, height: 1000 },
      colorScheme,
    });
    stub.answer(
      streaming(
        `${answer('select mood, count(*) as n from public.tasks group by mood')}${fence}chart\n{"kind":"bar","x":"mood","y":["n"]}\n${fence}\n`,
      ),
    );
    const before = stub.received.length;
    await go('/sql');
    await page.getByLabel('Ask stub-model for SQL').fill('Tasks by mood');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByText('table public.tasks').waitFor();
    await expectSound(page, 'what is sent');
    expect(stub.received.length).toBe(before);
    await page.getByRole('button', { name: 'Send' }).press('Enter');
    await page.getByRole('region', { name: 'Proposed SQL' }).getByText('group by mood').waitFor();
    expect(stub.received.length).toBe(before + 1);
    await expectSound(page, 'a proposal');
    expect(await page.getByRole('region', { name: 'Results' }).getByText('calm').count()).toBe(0);
    await page.getByRole('button', { name: 'Use this SQL' }).press('Enter');
    await page.getByText('A model wrote this SQL.').waitFor();
    // A formatted proposal is still a proposal.
    await page.getByRole('button', { name: 'Format' }).press('Enter');
    await page.getByRole('textbox', { name: 'SQL to run' }).getByText('group by', { exact: true }).waitFor();
    expect(await page.getByText('A model wrote this SQL.').count()).toBe(1);
    await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
    // The result is shown as the proposed chart, whose data table is collapsed.
    await page
      .getByRole('region', { name: 'Results' })
      .getByText('350')
      .first()
      .waitFor({ state: 'attached' });
    await expectSound(page, 'the result');

    // A change is proposed as a difference, is rejected in read-only mode, and runs once the operator allows it.
    stub.answer(streaming(answer('update public.tasks set done = true where id = 1')));
    await page.getByLabel('Add the first').check();
    await page.getByLabel('Ask stub-model for SQL').fill('Complete the first task');
    await page.keyboard.press('Enter');
    await page
      .getByRole('region', { name: 'Changes to the SQL in the editor' })
      .getByText('update public.tasks')
      .waitFor();
    expect(stub.received.at(-1)?.body.messages.at(-1).content).toContain('"350"');
    expect(stub.received.at(-1)?.body.messages.map(({ role }: { role: string }) => role)).toContain(
      'assistant',
    );
    await page.getByRole('button', { name: 'Use this SQL' }).press('Enter');
    const unchanged = await doneTasks();
    await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
    await page.getByRole('alert').first().waitFor();
    expect(await doneTasks()).toEqual(unchanged);
    await expectSound(page, 'a rejected change');
    await page.getByRole('button', { name: 'Allow everything my role may do' }).press('Enter');
    await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
    await page.getByText('UPDATE 1').first().waitFor();
    expect(complaints.list.filter((text) => !/status of 4/.test(text))).toEqual([]);
    await close();
  },
  withStates,
);

test('a hostile answer is text, an error is shown, and an error of the query can be explained', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.addInitScript("localStorage.setItem('plinth-ask-seen', 'yes')");
  const hostile =
    '<img src=x onerror="document.title=\'pwned\'"> ![x](http://127.0.0.1:1/leak.png) [link](javascript:alert(1))';
  stub.answer(streaming(`${hostile}\n${answer("select '<script>document.title=1</script>'")}`));
  await go('/sql');
  await page.getByLabel('Ask stub-model for SQL').fill('x');
  await page.keyboard.press('Enter');
  await page.getByText('leak.png').waitFor();
  await page.getByRole('button', { name: 'Use this SQL' }).waitFor();
  expect(await page.title()).not.toContain('pwned');
  expect(requests.filter((url) => url.includes('leak'))).toEqual([]);
  expect(
    await page.locator('section[aria-label="Ask for SQL"] a, section[aria-label="Ask for SQL"] img').count(),
  ).toBe(0);

  stub.answer(document(401, { error: { message: 'bad key' } }));
  await page.getByRole('button', { name: 'Ask', exact: true }).press('Enter');
  await page.getByText('The endpoint rejected the key.').waitFor();
  await page.getByRole('button', { name: 'Close answer' }).press('Enter');

  await page.getByRole('textbox', { name: 'SQL to run' }).fill('select nme from public.tasks');
  await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
  stub.answer(streaming(answer('select title from public.tasks')));
  await page.getByRole('button', { name: 'Explain this error' }).press('Enter');
  await page.getByRole('region', { name: 'Changes to the SQL in the editor' }).waitFor();
  expect(stub.received.at(-1)?.body.messages.at(-1).content).toContain('SQLSTATE 42703');
  expect(complaints.list).toEqual([]);
  await close();
});

test('a read-only operator has no field for questions', async () => {
  const { page, go, close } = await signedIn(browser, backend, {}, 'looker');
  await go('/sql');
  await page.getByText('Your role is read-only').waitFor();
  expect(await page.getByLabel('Ask stub-model for SQL').count()).toBe(0);
  await close();
});
