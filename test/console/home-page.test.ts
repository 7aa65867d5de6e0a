/** Tests the figures and problems on the home page, and pages that only explain what to set up. */
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../web/browser.ts';
import { type Backend, operator, startBackend } from './harness.ts';
import { expectSound, looks, signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;

beforeAll(async () => {
  backend = await startBackend();
  browser = await launchBrowser();
  await backend.database.pool('supabase_admin').exec(`
    insert into auth.users (id, email, created_at)
      select gen_random_uuid(), 'person' || i || '@example.com', now() - make_interval(days => i)
      from generate_series(0, 19) i;
    insert into storage.buckets (id, name) values ('photos', 'photos');
    insert into storage.objects (bucket_id, name, metadata)
      select 'photos', i || '.png', jsonb_build_object('size', 1000) from generate_series(1, 3) i;
    insert into storage.objects (bucket_id, name, metadata) values ('photos', 'odd', '{"size": "unknown"}')`);
  const headers = { apikey: backend.keys.publishableKey };
  for (let count = 0; count < 3; count++)
    await backend.fetch('/rest/v1/tasks?select=id&limit=1', { headers });
  await backend.fetch('/rest/v1/missing', { headers });
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

test('the figures cover traffic, users, database and storage, but not the Console itself', async () => {
  const owner = await operator(backend);
  // The Console sends this request to auth.
  expect((await owner.call('GET', '/users')).status).toBe(200);
  const { status, body } = await owner.call('GET', '/home/overview');
  expect(status).toBe(200);
  const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);
  expect(sum(body.traffic.requests)).toBe(4);
  expect(sum(body.traffic.refused)).toBe(1);
  expect(sum(body.traffic.failed)).toBe(0);
  expect(body.users).toMatchObject({ total: 20, isEstimate: false });
  expect(body.users.perDay).toEqual(Array.from({ length: 14 }, () => 1));
  expect(body.storage).toEqual({ objects: 4, bytes: 3000, isEstimate: false });
  expect(body.database.bytes).toBeGreaterThan(1_000_000);
  expect(body.database.connections).toBeGreaterThan(0);
});

test('the home page shows them, and each leads to its page', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/');
  const overview = page.getByRole('region', { name: 'Overview' });
  await overview.getByText('14 new users in 14 days').waitFor();
  await overview.getByText('Storage: 3 KB in 4 files', { exact: false }).waitFor();
  await overview.getByRole('img', { name: 'New users per day, last 14 days. Highest: 1.' }).waitFor();
  await overview.getByRole('link', { name: 'View errors' }).press('Enter');
  await page.getByText('/rest/v1/missing').first().waitFor();
  expect(new URL(page.url()).pathname).toBe('/console/logs');
  expect(complaints.list).toEqual([]);
  await close();
});

test.each(looks)('the home page at $width px, $colorScheme first', async (look) => {
  const { page, go, close } = await signedIn(browser, backend, {
    viewport: look,
    colorScheme: look.colorScheme,
  });
  await go('/');
  await page.getByRole('region', { name: 'Overview' }).getByText('14 new users in 14 days').waitFor();
  await expectSound(page, 'home page');
  await close();
});

test('a disk that is filling up is a problem', async () => {
  const projectDir = mkdtempSync(join(tmpdir(), 'plinth-home-'));
  const { bavail, bsize } = statfsSync(tmpdir());
  // The server warns if less than twice the reserve is free.
  const reserve = Math.floor((bavail * bsize * 0.7) / 1024 ** 2);
  mkdirSync(join(projectDir, 'supabase'));
  writeFileSync(join(projectDir, 'supabase/plinth.toml'), `[database]\nreserved_space = "${reserve}MB"\n`);
  const other = await startBackend({ projectDir });
  try {
    const owner = await operator(other);
    const { body } = await owner.call('GET', '/home/problems');
    expect(body.problems).toContainEqual({
      kind: 'condition',
      severity: 'warning',
      part: 'disk',
      message: 'The disk is filling up.',
    });
  } finally {
    await other.stop();
    rmSync(projectDir, { recursive: true, force: true });
  }
});

test.each(looks)('the settings for backups fit at $width px', async (look) => {
  const { page, go, close } = await signedIn(browser, backend, {
    viewport: look,
    colorScheme: look.colorScheme,
  });
  await go('/backups');
  const settings = page.getByRole('region', { name: 'Add to supabase/plinth.toml:' });
  const box = await settings.boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? look.width)).toBeLessThanOrEqual(look.width);
  await expectSound(page, 'backups without settings');
  await close();
});
