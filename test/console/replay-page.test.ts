/** Tests in Chromium that a logged request can be replayed from the log as another user, and becomes a test. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';
import { launchBrowser } from '../web/browser.ts';
import { testEach, withStates } from '../web/states.ts';
import { type Backend, operator } from './harness.ts';
import { expectSound, signedIn } from './page-helpers.ts';

const schema = `
  create table public.notes (id int primary key, owner uuid, body text);
  alter table public.notes enable row level security;
  create policy own on public.notes to authenticated using (owner = auth.uid());
  grant all on public.notes to anon, authenticated, service_role;
  insert into public.notes values (1, null, '<img src=x onerror="document.title=''pwned''">');
`;

let projectDir: string;
let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  projectDir = mkdtempSync(join(tmpdir(), 'plinth-replay-page-'));
  mkdirSync(join(projectDir, 'supabase', 'migrations'), { recursive: true });
  writeFileSync(join(projectDir, 'supabase', 'migrations', '20260101000000_schema.sql'), schema);
  backend = await createTestBackend({ projectDir });
  await backend.operators.createOperator('looker', 'read-only');
  const owner = await operator(backend);
  for (const email of ['ada@example.com', 'ben@example.com'])
    await owner.call('POST', '/users', { email, password: 'a-Good-password-1', confirmed: true });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  rmSync(projectDir, { recursive: true, force: true });
});

/** Sends a request as an app does, and returns the ID with which it is logged. */
async function send(method: string, path: string, body?: unknown): Promise<string> {
  const response = await backend.fetch(path, {
    method,
    headers: { apikey: backend.keys.anonKey, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.headers.get('x-request-id') ?? '';
}

testEach([
  [1440, 'light'],
  [390, 'dark'],
])(
  '%i px wide, %s: a logged insert is replayed as another user, and a test is written',
  async (width, colorScheme) => {
    const id = await send('POST', '/rest/v1/notes', { id: width, body: 'x' });
    const { page, complaints, go, close } = await signedIn(browser, backend, {
      viewport: { width, height: 900 },
      colorScheme,
    });
    await go(`/logs?open=${id}`);
    await page.getByRole('link', { name: 'Replay this request' }).press('Enter');
    await page.getByText('The request had a body, which isn’t logged.').waitFor();
    await expectSound(page, 'the form');
    expect(await page.getByLabel('Path and query').inputValue()).toBe('/rest/v1/notes');
    expect(await page.getByLabel('Method').inputValue()).toBe('POST');
    await page.getByLabel('Headers, one per line').fill('no header');
    await page.getByRole('button', { name: 'Replay', exact: true }).press('Enter');
    await page.getByText('Each line must have the form').waitFor();
    await page.getByLabel('Headers, one per line').fill('content-type: application/json');
    await page.getByLabel('Body', { exact: true }).fill(JSON.stringify({ id: width, body: 'x' }));
    await page.getByLabel('Response that the app received').fill('{"code":"42501","message":"other"}');
    await page.getByRole('button', { name: 'Replay', exact: true }).press('Enter');
    await page.getByText('The status is the same as in the log.').waitFor();
    await page.getByRole('region', { name: 'Difference from the earlier response' }).first().waitFor();
    await page.getByText('Rolled back. Nothing was changed.').waitFor();
    await expectSound(page, 'a rejected insert');

    await page.getByRole('button', { name: /View as/ }).press('Enter');
    await page.getByRole('button', { name: 'Operator' }).last().press('Enter');
    await page.getByText('Runs the request as service_role').waitFor();
    await page.getByRole('button', { name: 'Replay', exact: true }).press('Enter');
    await page.getByText('The status was 401 and is 201 now.').waitFor();

    await page.getByRole('button', { name: /View as/ }).press('Enter');
    await page.getByRole('button', { name: 'ben@example.com' }).press('Enter');
    await page.getByText('Runs the request as ben@example.com').waitFor();
    await page.getByRole('button', { name: 'Replay', exact: true }).press('Enter');
    await page.getByText('The status was 401 and is 403 now.').waitFor();
    await page.getByRole('button', { name: 'Show test' }).press('Enter');
    await page.getByText('so the test fails until it’s fixed').waitFor();
    await page.getByRole('button', { name: 'Write test' }).press('Enter');
    const written = await page.getByText(/Written to supabase/).textContent();
    const path = /supabase\/tests\/\w+\.sql/.exec(written ?? '')?.[0] ?? '';
    expect(readFileSync(join(projectDir, path), 'utf8')).toContain('lives_ok');
    await expectSound(page, 'a test');
    expect(complaints.list.filter((text) => !text.includes('status of 4'))).toEqual([]);
    await close();
  },
  withStates,
);

test('a request that can’t be replayed says why, hostile rows are text, and a read-only operator sees what is possible', async () => {
  const id = await send('POST', '/auth/v1/token?grant_type=password', { email: 'a@b.c', password: 'x' });
  const { page, go, close } = await signedIn(browser, backend, {}, 'looker');
  await go(`/replay?request=${id}`);
  await page.getByText('Requests to auth need passwords').waitFor();
  await go('/replay');
  await page.getByText('Your role can replay reads').waitFor();
  await page.getByLabel('Path and query').fill('/rest/v1/notes?select=body');
  await page.getByRole('button', { name: 'Replay', exact: true }).press('Enter');
  await page.getByRole('region', { name: 'Response body' }).getByText('<img src=x').waitFor();
  expect(await page.title()).not.toContain('pwned');
  await page.getByLabel('Method').selectOption('DELETE');
  await page.getByRole('button', { name: 'Replay', exact: true }).press('Enter');
  await page.getByText('Your role can only replay reads').waitFor();
  expect(await page.getByRole('button', { name: 'Write test' }).count()).toBe(0);
  await go('/replay?request=no-such-request');
  await page.getByText('The log no longer contains this request.').waitFor();
  await close();
});
