/** Tests the log of several days in Chromium: the chart, ranges, the slowest requests, groups of failures and exports. */
import { writeFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentPath } from '../../src/platform/telemetry/history/files.ts';
import { temporaryFolder } from '../database/helpers.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, looks, signedIn } from './page-helpers.ts';

const folder = temporaryFolder();
const hourMs = 60 * 60 * 1000;
const hours = 72;
const start = Math.floor(Date.now() / hourMs) * hourMs - hours * hourMs;
const markup = '<img/src=x/onerror=window.hit=1>';
let backend: Backend;
let browser: Browser;

beforeAll(async () => {
  let text = '';
  for (let minute = 0; minute < hours * 60; minute += 2) {
    const time = new Date(start + minute * 60_000).toISOString();
    const isFailed = minute % 60 === 0;
    const id = `old-${minute}`;
    const request = { service: 'rest', method: 'GET', path: `/rest/v1/orders/${minute}`, message: 'request' };
    const status = isFailed ? 500 : minute % 50 === 0 ? 404 : 200;
    text += `${JSON.stringify({ level: 30, time, requestId: id, ...request, status, durationMs: minute / 10 })}\n`;
    if (minute % 120 === 0)
      text += `${JSON.stringify({ level: 50, time, service: 'functions', message: `${markup} \u001b[31m order ${minute}` })}\n`;
  }
  writeFileSync(currentPath(folder.path), text);
  backend = await startBackend({ logDir: folder.path });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  folder.remove();
});

const bars = (page: Page) => page.getByRole('toolbar', { name: /^Entries per step/ }).getByRole('button');
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });

test('the keyboard narrows the range with the chart, and the browser goes back', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/logs?service=rest');
  await row(page, '/rest/v1/orders/4318').waitFor();
  await bars(page).nth(10).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.url()).toMatch(/since=.*until=/);
  await page.getByLabel('From', { exact: true }).waitFor();
  expect(await page.getByLabel('Time', { exact: true }).inputValue()).toBe('custom');
  await row(page, '/rest/v1/orders/4318').waitFor({ state: 'detached' });
  // The requests of two hours, which are one every two minutes, and the header.
  await expect.poll(() => page.getByRole('row').count()).toBe(61);
  await page.goBack();
  await row(page, '/rest/v1/orders/4318').waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

test('dragging over bars selects their range', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/logs?service=rest');
  const first = await bars(page).nth(5).boundingBox();
  const last = await bars(page).nth(9).boundingBox();
  const y = (first?.y ?? 0) + 30;
  await page.mouse.move((first?.x ?? 0) + 3, y);
  await page.mouse.down();
  await page.mouse.move((last?.x ?? 0) + 3, y, { steps: 8 });
  await page.mouse.up();
  await page.waitForURL(/since=.*until=/);
  const { searchParams } = new URL(page.url());
  const time = (name: string) => Date.parse(String(searchParams.get(name)).replaceAll('"', ''));
  expect((time('until') - time('since')) / hourMs).toBe(5);
  expect(complaints.list).toEqual([]);
  await close();
});

test('the slowest requests, a duration filter and a custom range are in the URL', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/logs');
  await page.getByLabel('List', { exact: true }).selectOption('slowest');
  const first = page.getByRole('row').nth(1);
  await expect.poll(() => first.textContent()).toContain('/rest/v1/orders/4318');
  await page.getByRole('button', { name: 'More filters' }).press('Enter');
  await page.getByLabel('At most (ms)').fill('50.5');
  await expect.poll(() => first.textContent()).toContain('/rest/v1/orders/504');
  await page.getByLabel('Method').selectOption('POST');
  await page.getByRole('heading', { name: 'No matching entries' }).waitFor();
  await page.getByLabel('Method').selectOption('');
  await page.getByLabel('Time', { exact: true }).selectOption('custom');
  const until = new Date(start + 2 * hourMs);
  const local = new Date(until.getTime() - until.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  await page.getByLabel('To', { exact: true }).fill(local);
  await expect.poll(() => first.textContent()).toContain('/rest/v1/orders/118');
  expect(decodeURIComponent(page.url())).toContain(until.toISOString());
  await page.reload();
  await expect.poll(() => first.textContent()).toContain('/rest/v1/orders/118');
  expect(complaints.list).toEqual([]);
  await close();
});

test('equal failures are one row that opens the latest failure', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/logs?list=failures');
  const failed = row(page, '/rest/v1/orders/:id').filter({ hasText: '500' });
  await failed.waitFor();
  expect(await failed.getByRole('cell').first().textContent()).toBe('72');
  const hostile = row(page, `${markup.replace('1', '#')} order #`);
  expect(await hostile.getByRole('cell').first().textContent()).toBe('36');
  await failed.getByRole('button').press('Enter');
  await page.getByRole('dialog').getByText('old-4260').first().waitFor();
  await page.keyboard.press('Escape');
  await hostile.getByRole('button').click();
  await page.getByRole('dialog').getByText(markup).first().waitFor();
  expect(await page.evaluate('window.hit')).toBeUndefined();
  expect(complaints.list).toEqual([]);
  await close();
});

test('an export contains the entries of the filter', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/logs?service=functions');
  await page.getByRole('button', { name: 'Export' }).press('Enter');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /^JSON lines/ }).press('Enter'),
  ]);
  expect(download.suggestedFilename()).toBe('logs.ndjson');
  await close();
});

test('a search that stops early states how far it came, and continues', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  let asked = 0;
  await page.route('**/console/api/logs?*', async (route) => {
    asked++;
    const response = await route.fetch();
    const json = (await response.json()) as {
      entries: unknown[];
      next: string | null;
      searchedTo: number | null;
    };
    if (asked === 1)
      Object.assign(json, {
        entries: [],
        next: `${start + hourMs};`.slice(0, -1),
        searchedTo: start + hourMs,
      });
    await route.fulfill({ response, json });
  });
  await go('/logs?service=rest');
  await page.getByText(/^Searched back to/).waitFor();
  await page.getByRole('button', { name: 'Continue search' }).press('Enter');
  await row(page, '/rest/v1/orders/60').first().waitFor();
  await page.getByText(/^Searched back to/).waitFor({ state: 'detached' });
  expect(complaints.list).toEqual([]);
  await close();
});

test('the live list can be paused', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/logs?path=no_such_live&live=true');
  const ask = () => backend.fetch('/rest/v1/no_such_live', { headers: { apikey: backend.keys.secretKey } });
  await expect
    .poll(async () => {
      await ask();
      return row(page, 'no_such_live').count();
    })
    .toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Pause' }).press('Enter');
  const shown = await row(page, 'no_such_live').count();
  await ask();
  const resume = page.getByRole('button', { name: /^Resume \(\d+ new/ });
  await resume.waitFor();
  expect(await row(page, 'no_such_live').count()).toBe(shown);
  await resume.press('Enter');
  await expect.poll(() => row(page, 'no_such_live').count()).toBeGreaterThan(shown);
  expect(complaints.list).toEqual([]);
  await close();
});

test.each(looks)(
  'the page is accessible and fits at $width px, $colorScheme first',
  { ...pageStates, timeout: 120_000 },
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, go, close } = await signedIn(browser, backend, { viewport, colorScheme });
    const since = encodeURIComponent(new Date(start).toISOString());
    const places: [path: string, ready: () => Promise<unknown>][] = [
      ['/logs', () => row(page, '/rest/v1/orders').first().waitFor()],
      [`/logs?since=${since}&list=slowest&minMs=1`, () => row(page, '/rest/v1/orders').first().waitFor()],
      ['/logs?list=failures', () => row(page, ':id').first().waitFor()],
      [
        '/logs?list=failures&service=mail',
        () => page.getByRole('heading', { name: 'No failures' }).waitFor(),
      ],
    ];
    for (const [path, ready] of places) {
      await go(path);
      await ready();
      await bars(page).first().waitFor();
      await expectSound(page, path);
      if (process.env.PICTURES !== undefined)
        await page.screenshot({
          path: `${process.env.PICTURES}/${viewport.width}-${colorScheme}-${places.findIndex(([each]) => each === path)}.png`,
        });
    }
    expect(complaints.list).toEqual([]);
    await close();
  },
);
