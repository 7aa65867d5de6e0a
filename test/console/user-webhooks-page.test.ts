/** Tests the page of webhooks for events about users in Chromium, and its routes for each role. */
import { createHash } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import { openTarget, type Target } from '../jobs/target.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, type Operator, operator } from './harness.ts';
import { expectSound, type SignedIn, signedIn } from './page-helpers.ts';

const secret = `whsec_${createHash('sha256').update('page').digest('base64')}`;
/** The page's title would change if this markup ran. */
const markup = `<img src=x onerror="document.title='pwned'">`;
let backend: Backend;
let browser: Browser;
let target: Target;
let owner: Operator;
beforeAll(async () => {
  target = await openTarget();
  target.answer((request, response) =>
    response.writeHead(request.url?.startsWith('/broken') ? 500 : 200).end(markup),
  );
  const webhook = { events: ['user.created', 'user.deleted'], secret };
  backend = await createTestBackend({
    config: {
      plinth: {
        auth: {
          webhooks: {
            crm: { ...webhook, url: `${target.url}/crm?key=hunter2` },
            broken: { ...webhook, url: `${target.url}/broken` },
            old: { ...webhook, url: `${target.url}/old`, enabled: false },
          },
        },
      },
    },
  });
  await backend.operators.createOperator('looker', 'read-only');
  browser = await launchBrowser();
  owner = await operator(backend);
  await owner.call('POST', '/users', { email: 'ada@example.com', password: 'a-Good-password-1' });
  const states = async () =>
    (await owner.call('GET', '/webhooks/deliveries')).body.deliveries
      .filter(({ attempts }: { attempts: number }) => attempts > 0)
      .map(({ endpoint }: { endpoint: string }) => endpoint);
  await vi.waitFor(async () => expect(new Set(await states())).toEqual(new Set(['crm', 'broken'])), {
    timeout: 60_000,
    interval: 200,
  });
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  await target?.close();
});

test('an operator sends a test, filters failed deliveries and sends one again', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/users');
  await page.getByRole('link', { name: 'Webhooks' }).press('Enter');
  await page.getByText('crm?key=hunter2').waitFor();
  await page.getByRole('button', { name: 'Send a test to crm' }).press('Enter');
  await page.getByRole('link', { name: 'Open the delivery of webhook.test' }).first().waitFor();
  await page.getByLabel('Only failed').press('Space');
  await page.waitForURL('**failed=true**');
  await expect
    .poll(() => page.getByRole('link', { name: 'Open the delivery of webhook.test' }).count(), {
      timeout: 30_000,
    })
    .toBe(0);
  await page.getByRole('link', { name: 'Open the delivery of user.created' }).first().press('Enter');
  const panel = page.getByRole('dialog');
  await panel.getByText('The response has status 500.').waitFor();
  await panel.getByText('ada@example.com').first().waitFor();
  await panel.getByText(markup).waitFor();
  const before = target.arrived.filter(({ url }) => url === '/broken').length;
  await panel.getByRole('button', { name: 'Send again' }).press('Enter');
  await expect
    .poll(() => target.arrived.filter(({ url }) => url === '/broken').length, { timeout: 30_000 })
    .toBeGreaterThan(before);
  expect(await page.title()).not.toBe('pwned');
  expect(complaints.list).toEqual([]);
  await close();
});

test('a read-only operator sees no data, response or complete URL, and can’t send', async () => {
  const looker = await operator(backend, 'looker');
  const { body } = await looker.call('GET', '/webhooks');
  expect(JSON.stringify(body)).not.toContain('hunter2');
  const { deliveries } = (await looker.call('GET', '/webhooks/deliveries')).body;
  expect(JSON.stringify(deliveries)).not.toContain('ada@example.com');
  const { id } = deliveries[0];
  for (const [method, path] of [
    ['GET', `/webhooks/deliveries/${id}`],
    ['POST', `/webhooks/deliveries/${id}/send`],
    ['POST', '/webhooks/crm/test'],
    ['POST', '/webhooks/crm/enable'],
  ] as const)
    expect([path, (await looker.call(method, path)).status]).toEqual([path, 403]);
  const { page, go, close } = await signedIn(browser, backend, {}, 'looker');
  await go('/users/webhooks');
  await page.getByText('user.created').last().waitFor();
  expect(await page.getByRole('button', { name: /Send a test/ }).count()).toBe(0);
  await close();
});

test('invalid requests are rejected', async () => {
  const status = async (method: string, path: string) => (await owner.call(method, path)).status;
  expect(await status('GET', '/webhooks/deliveries/x')).toBe(400);
  expect(await status('GET', '/webhooks/deliveries?failed=maybe')).toBe(400);
  expect(await status('GET', '/webhooks/deliveries/999999999999')).toBe(404);
  expect(await status('POST', '/webhooks/unknown/test')).toBe(404);
  expect(await status('POST', '/webhooks/old/test')).toBe(409);
  expect(await status('POST', '/webhooks/deliveries/999999999999/send')).toBe(404);
});

async function showStates({ page, go }: SignedIn, name: (state: string) => Promise<void>): Promise<void> {
  await go('/users/webhooks');
  await page.getByRole('link', { name: 'Open the delivery of user.created' }).first().waitFor();
  await name('webhooks');
  await page.getByLabel('Only failed').press('Space');
  await page.waitForURL('**failed=true**');
  await page.getByRole('link', { name: 'Open the delivery of user.created' }).first().press('Enter');
  await page.getByText('The response has status 500.').waitFor();
  await name('delivery');
}

for (const { name, options, colorScheme } of [
  { name: 'wide and light', options: { viewport: { width: 1440, height: 900 } }, colorScheme: 'light' },
  { name: 'narrow and dark', options: { viewport: { width: 390, height: 844 } }, colorScheme: 'dark' },
] as const)
  test(`the page is sound: ${name}`, pageStates, async () => {
    const signed = await signedIn(browser, backend, { ...options, colorScheme });
    await showStates(signed, async (state) => expectSound(signed.page, `${state}, ${name}`));
    await signed.close();
  });
