/** Tests the log and the metrics in Chromium: filters, the trace of a request, live lines, and hostile content. */
import { request as httpRequest } from 'node:http';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openContext } from '../web/browser.ts';
import { pageStates, withStates } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, looks, signInWindow } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;

const ask = (path: string, headers: Record<string, string> = {}) =>
  backend.fetch(path, { headers: { apikey: backend.keys.secretKey, ...headers } });

/** Sends a path with markup, which `fetch` would encode. */
function askRaw(path: string, userAgent: string): Promise<void> {
  const { hostname, port } = new URL(backend.url);
  return new Promise((resolve, reject) => {
    const asked = httpRequest(
      { hostname, port, path, headers: { 'user-agent': userAgent, 'x-request-id': 'hostile-1' } },
      (response) => response.resume().on('end', () => resolve()),
    );
    asked.on('error', reject).end();
  });
}

const markup = '<img/src=x/onerror=window.hit=1>';

beforeAll(async () => {
  backend = await startBackend();
  browser = await launchBrowser();
  await ask('/rest/v1/tasks?select=id&limit=1', { 'x-request-id': 'page-request-1' });
  await ask('/rest/v1/no_such_table');
  await askRaw(`/rest/v1/${markup}?x=${markup}`, markup);
  await backend.fetch('/auth/v1/otp', {
    method: 'POST',
    headers: { apikey: backend.keys.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'log@example.com' }),
  });
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

async function opened(path: string, options: Parameters<typeof openContext>[1] = {}) {
  const { context, complaints } = await openContext(browser, {
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  await signInWindow(context, backend);
  const page = await context.newPage();
  await page.goto(`${backend.console.url}/console${path}`);
  return { page, complaints, close: () => context.close() };
}

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

test('the URL contains the filter, and the keyboard opens a request as a waterfall', async () => {
  const { page, complaints, close } = await opened('/logs');
  await row(page, '/rest/v1/tasks').first().waitFor();
  expect(await row(page, '/console/').count()).toBe(0);
  await page.getByLabel('Status').selectOption('4');
  await expect.poll(() => page.url()).toMatch(/status=%224%22/);
  await row(page, '/rest/v1/tasks').first().waitFor({ state: 'detached' });
  await row(page, 'no_such_table').first().waitFor();
  await page.reload();
  await row(page, 'no_such_table').first().waitFor();
  await page.getByLabel('Status').selectOption('');
  await page.getByRole('button', { name: 'More filters' }).press('Enter');
  await page.getByLabel('Request ID').fill('page-request-1');
  await expect.poll(() => page.getByRole('row').count()).toBe(2);
  await page.getByRole('button', { name: 'GET /rest/v1/tasks' }).press('Enter');
  const panel = page.getByRole('dialog');
  await panel.getByRole('heading', { name: 'Request timeline' }).waitFor();
  await expect.poll(() => panel.getByRole('listitem').count()).toBe(2);
  await panel.getByText('service_role').first().waitFor();
  await page.keyboard.press('Escape');
  await panel.waitFor({ state: 'detached' });
  expect(complaints.list).toEqual([]);
  await close();
});

test('new entries are shown live, even if the stream was rejected at first', async () => {
  const { page, complaints, close } = await opened('/logs?service=auth');
  await row(page, '/auth/v1/otp').first().waitFor();
  // This response simulates a proxy whose server is starting. The browser doesn't retry automatically after such a
  // response.
  await page.route('**/logs/tail?*', (route) => route.fulfill({ status: 503 }), { times: 1 });
  await page.getByRole('switch', { name: 'Live' }).press('Space');
  await expect.poll(() => page.url()).toContain('live=true');
  await expect
    .poll(
      async () => {
        await ask('/auth/v1/health');
        return row(page, '/auth/v1/health').count();
      },
      { timeout: 10_000 },
    )
    .toBeGreaterThan(0);
  expect(complaints.list).toEqual([]);
  await close();
});

test('an entry with several lines is one row that can be expanded', withStates, async () => {
  const { page, complaints, close } = await opened('/logs');
  await page.route('**/console/api/logs?*', async (route) => {
    const response = await route.fetch();
    const json = (await response.json()) as { entries: unknown[] };
    const message = `TypeError: ${markup}\n    at first (index.ts:1:2)\n    at second (index.ts:3:4)`;
    json.entries.unshift({ at: Date.now(), level: 'error', kind: 'line', service: 'functions', message });
    await route.fulfill({ response, json });
  });
  await page.reload();
  const folded = row(page, 'TypeError');
  await folded.getByText('2 more lines').press('Enter');
  await folded.getByText('at second (index.ts:3:4)').waitFor();
  expect(await folded.getByRole('button').textContent()).toBe(`TypeError: ${markup}`);
  await expectSound(page, 'an unfolded entry');
  expect(complaints.list).toEqual([]);
  await close();
});

test('markup in a path, a query and a user agent is shown as text', async () => {
  const { page, complaints, close } = await opened('/logs?open=hostile-1');
  const panel = page.getByRole('dialog');
  await panel.getByText(markup).first().waitFor();
  await expect.poll(() => panel.getByText(markup).count()).toBeGreaterThan(1);
  await page.keyboard.press('Escape');
  await row(page, markup).first().waitFor();
  expect(await page.evaluate('window.hit')).toBeUndefined();
  expect(complaints.list).toEqual([]);
  await close();
});

test('metrics are shown as a chart and as a table with the same numbers', async () => {
  const { page, complaints, close } = await opened('/metrics');
  await page
    .getByRole('img', { name: /^Requests chart/ })
    .locator('canvas')
    .waitFor();
  await page.getByText('View as table').first().press('Enter');
  await page.getByRole('table', { name: 'Requests' }).getByRole('columnheader', { name: 'rest' }).waitFor();
  await page.getByLabel('Service', { exact: true }).selectOption('auth');
  await expect.poll(() => page.url()).toContain('service=auth');
  await page.getByRole('link', { name: 'rest', exact: true }).press('Enter');
  await page.waitForURL('**/logs?service=rest');
  expect(complaints.list).toEqual([]);
  await close();
});

test('the chart shows the values at the pointer with their units, and its lines can be hidden with the keyboard', async () => {
  const { page, close } = await opened('/metrics');
  const line = page
    .getByRole('group', { name: 'Shown series' })
    .first()
    .getByRole('button', { name: 'rest' });
  await line.and(page.locator('[aria-pressed=true]')).press('Space');
  await line.and(page.locator('[aria-pressed=false]')).press('Enter');
  await line.and(page.locator('[aria-pressed=true]')).waitFor();
  const plot = page.getByRole('img', { name: /Requests/ }).locator('.u-over');
  const { width = 0, height = 0 } = (await plot.boundingBox()) ?? {};
  // The newest requests are at the right edge of the chart.
  await plot.hover({ position: { x: width - 2, y: height / 2 } });
  await page
    .getByRole('img', { name: /Requests/ })
    .getByText(/\d\/min$/)
    .first()
    .waitFor();
  await close();
});

test.each(looks)(
  'the page is accessible and fits at $width px, $colorScheme first',
  { ...pageStates, timeout: 120_000 },
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, close } = await opened('/', { viewport, colorScheme });
    const places: [path: string, ready: () => Promise<unknown>][] = [
      ['/logs', () => row(page, '/rest/v1/tasks').first().waitFor()],
      [
        '/logs?path=x&search=nothing-like-it',
        () => page.getByRole('heading', { name: 'No matching entries' }).waitFor(),
      ],
      ['/logs?open=page-request-1', () => page.getByRole('heading', { name: 'Request timeline' }).waitFor()],
      ['/metrics', () => page.locator('canvas').nth(1).waitFor()],
    ];
    for (const [path, ready] of places) {
      await page.goto(`${backend.console.url}/console${path}`);
      await ready();
      await expectSound(page, path);
    }
    expect(complaints.list).toEqual([]);
    await close();
  },
);
