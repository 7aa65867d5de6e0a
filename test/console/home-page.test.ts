/** Tests the figures and problems on the home page, and pages that explain what must be set up first. */
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOverview } from '../../src/pages/console/home/overview.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
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
  // To respond to this call, the Console sends a request to auth.
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

test('the home page shows the figures, and each links to its page', async () => {
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

test.each(looks)('the home page is accessible at $width px, $colorScheme first', pageStates, async (look) => {
  const { page, go, close } = await signedIn(browser, backend, {
    viewport: look,
    colorScheme: look.colorScheme,
  });
  await go('/');
  await page.getByRole('region', { name: 'Overview' }).getByText('14 new users in 14 days').waitFor();
  await expectSound(page, 'home page');
  await close();
});

test('a disk that is almost full is shown as a problem', async () => {
  const projectDir = mkdtempSync(join(tmpdir(), 'plinth-home-'));
  const { bavail, bsize } = statfsSync(tmpdir());
  // The server reports a warning if less than twice the reserve is free.
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

test('a provider without a secret or client ID is shown as a problem that links to its card', async () => {
  const projectDir = mkdtempSync(join(tmpdir(), 'plinth-home-'));
  mkdirSync(join(projectDir, 'supabase'));
  const provider = (name: string, id: string, secret = `env(OF_${name})`) =>
    `[auth.external.${name}]\nenabled = true\nclient_id = "${id}"\nsecret = "${secret}"\n`;
  writeFileSync(
    join(projectDir, 'supabase/config.toml'),
    `${provider('github', 'abc')}${provider('gitlab', 'env(OF_id)')}${provider('google', 'abc')}
[auth.external.apple]\nenabled = true\nclient_id = "native"\n`,
  );
  const other = await startBackend({ projectDir });
  try {
    const owner = await operator(other);
    const { body } = await owner.call('GET', '/home/problems');
    const found = (body.problems as { kind: string }[]).filter(({ kind }) => kind === 'provider');
    const problem = { kind: 'provider', severity: 'error' };
    expect(found).toEqual([
      { ...problem, provider: 'github', title: 'GitHub', missing: ['secret'] },
      { ...problem, provider: 'gitlab', title: 'GitLab', missing: ['client_id', 'secret'] },
      { ...problem, provider: 'google', title: 'Google', missing: ['secret'] },
    ]);
    const { page, complaints, go, close } = await signedIn(browser, other);
    await go('/');
    const line = page.getByRole('listitem').filter({ hasText: 'Sign-in with GitHub is on' });
    await line.getByText('its client secret is missing').waitFor();
    await line.getByRole('link', { name: 'View provider' }).press('Enter');
    const card = page.getByRole('group').filter({ has: page.getByRole('heading', { name: 'GitHub' }) });
    await card.getByText('Needs a secret').waitFor();
    expect(complaints.list).toEqual([]);
    await close();
    writeFileSync(join(projectDir, 'supabase/config.toml'), '[auth');
    const invalid = await owner.call('GET', '/home/problems');
    expect(invalid.body.problems).toContainEqual({ kind: 'invalid-settings', severity: 'error', count: 1 });
  } finally {
    await other.stop();
    rmSync(projectDir, { recursive: true, force: true });
  }
});

test.each(looks)('the settings for backups fit at $width px', pageStates, async (look) => {
  const { page, go, close } = await signedIn(browser, backend, {
    viewport: look,
    colorScheme: look.colorScheme,
  });
  await go('/backups');
  const settings = page.getByRole('region', { name: 'Or add to supabase/plinth.toml:' });
  const box = await settings.boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? look.width)).toBeLessThanOrEqual(look.width);
  await expectSound(page, 'backups without settings');
  await close();
});

test('the chart of new users uses the index of the users page, and rows without statistics are counted up to a limit', async () => {
  const admin = backend.database.pool('supabase_admin');
  await admin.transaction(async (tx) => {
    // Triggers are disabled, because recording each user would take longer than the rest of the test.
    await tx.exec(`set local session_replication_role = replica;
      alter table auth.users set (autovacuum_enabled = false);
      insert into auth.users (id, instance_id, created_at)
        select gen_random_uuid(), '00000000-0000-0000-0000-000000000000', '2020-01-01'
        from generate_series(1, 100100)`);
  });
  const figures = async () => {
    const read = createOverview({
      pool: backend.database.pool('postgres'),
      metrics: async () => ({ start: 0, stepMs: 60_000, services: [] }),
      now: Date.now,
    });
    return (await read()).users;
  };
  const days = Array.from({ length: 14 }, () => 1);
  const users = await figures();
  expect(users?.isEstimate).toBe(true);
  expect(users?.total).toBeGreaterThan(100_000);
  expect(users?.perDay).toEqual(days);
  await admin.exec('drop index auth.users_list_created_idx; analyze auth.users');
  expect(await figures()).toMatchObject({ isEstimate: true, perDay: null });
});
