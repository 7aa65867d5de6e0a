/** Tests the log of several days in Chromium: the chart, ranges, the slowest requests, groups of failures and exports. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentPath } from '../../src/platform/telemetry/history/files.ts';
import { temporaryFolder } from '../database/helpers.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, looks, signedIn } from './page-helpers.ts';

const folder = temporaryFolder();
const dataFolder = temporaryFolder();
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
  writeMetrics();
  backend = await startBackend({ logDir: folder.path, dataDir: dataFolder.path });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  folder.remove();
  dataFolder.remove();
});

/** Writes a sample for each hour of the last three days. */
function writeMetrics(): void {
  const dir = join(dataFolder.path, 'metrics');
  mkdirSync(dir);
  for (let hour = 0; hour < hours; hour++) {
    const at = start + hour * hourMs;
    const load = 1 + Math.sin(hour / 4) / 2;
    const requests = Math.round(5000 * load);
    const counts = [0, requests, 1, 40, 2, hour % 30 === 7 ? 400 : 3, 18, requests - 400, 30, 400];
    const sample = {
      at,
      requests: [
        ['rest', [counts]],
        ['auth', [[0, 600, 20, 600]]],
      ],
      gauges: {
        cpuCores: [load / 4, load],
        memoryBytes: [2.5e8 * load, 3e8 * load],
        connections: [40 * load, 60],
        databaseConnections: [8, 12],
        sockets: [20 * load, 40],
        diskFreeBytes: [8e10 - hour * 1e8, 8e10],
      },
    };
    const day = new Date(at).toISOString().slice(0, 10);
    // Charts of a day and of a week consist of shorter samples than those of a month.
    for (const level of ['hour', 'ten'])
      appendFileSync(join(dir, `${level}-${day}.jsonl`), `${JSON.stringify(sample)}\n`);
  }
}

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

test('metrics of thirty days lead to the logs of a step and of a dragged range', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/metrics');
  await page.getByLabel('Time range').selectOption('43200');
  for (const name of ['Requests', 'Errors', 'Durations', 'CPU', 'Memory', 'Connections', 'Free disk space'])
    await page
      .getByRole('img', { name: `${name} chart` })
      .locator('canvas')
      .waitFor();
  await page.getByText('View as table').first().press('Enter');
  const table = page.getByRole('table', { name: 'Requests' });
  await table.getByRole('button').nth(3).press('Enter');
  await page.waitForURL('**/logs?**since=**until=**');
  await bars(page).first().waitFor();
  await page.goBack();
  const plot = page.getByRole('img', { name: /^Requests chart/ }).locator('.u-over');
  await plot.waitFor();
  const { x = 0, y = 0, width = 0 } = (await plot.boundingBox()) ?? {};
  await page.mouse.move(x + width - 60, y + 50);
  await page.mouse.down();
  await page.mouse.move(x + width - 10, y + 60, { steps: 6 });
  await page.mouse.up();
  await page.waitForURL('**/logs?**since=**until=**');
  expect(complaints.list).toEqual([]);
  await close();
});

test('metrics can be exported', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/metrics?minutes=10080');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export CSV' }).press('Enter'),
  ]);
  expect(download.suggestedFilename()).toBe('metrics.csv');
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
    places.push(['/metrics?minutes=10080', () => page.locator('canvas').nth(6).waitFor()]);
    for (const [path, ready] of places) {
      await go(path);
      await ready();
      if (path.startsWith('/logs')) await bars(page).first().waitFor();
      await expectSound(page, path);
    }
    expect(complaints.list).toEqual([]);
    await close();
  },
);
