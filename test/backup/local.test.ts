/** Tests backups that a developer creates with one press: the page in Chromium, and a restore with its commands. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectSound } from '../console/page-helpers.ts';
import { launchBrowser, openContext } from '../web/browser.ts';
import { makeProject, type RunningServer, run, startServer } from './server.ts';

const project = makeProject(undefined);
const restored = join(project.dir, 'restored');
let server: RunningServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(project), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  project.remove();
});

const headers = ({ SERVICE_ROLE_KEY: key }: RunningServer) => ({
  apikey: key,
  authorization: `Bearer ${key}`,
});

async function insert(n: number): Promise<number> {
  const response = await fetch(`${server.API_URL}/rest/v1/notes`, {
    method: 'POST',
    headers: { ...headers(server), 'content-type': 'application/json' },
    body: JSON.stringify({ n }),
  });
  return response.status;
}

it('a backup is created with one press, and its commands restore it with the files', async () => {
  expect(await insert(1)).toBe(201);
  const upload = { method: 'POST', headers: headers(server), body: 'the bytes' };
  expect((await fetch(`${server.API_URL}/storage/v1/object/files/a.txt`, upload)).status).toBe(200);

  const { stdout } = await run(project, ['console']);
  const link = /http\S+#token=\S+/.exec(stdout)?.[0] ?? '';
  const { context, complaints } = await openContext(browser, { viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.goto(new URL('/console/backups', link).href);
  await page.getByText('The target doesn’t contain a complete backup yet.').waitFor();
  // Nothing is created before the button is pressed.
  expect(existsSync(join(project.dataDir, 'backups'))).toBe(false);
  await expectSound(page, 'no local backup');
  await page.getByRole('button', { name: 'Back up now' }).press('Enter');
  const table = page.getByRole('table', { name: 'Base backups' });
  await table.getByRole('row').nth(1).waitFor();
  expect(statSync(join(project.dataDir, 'backups.key')).mode & 0o777).toBe(0o600);
  expect(statSync(join(project.dataDir, 'backups')).mode & 0o777).toBe(0o700);
  // A second press creates another backup after the first.
  expect(await insert(2)).toBe(201);
  const button = page.getByRole('button', { name: 'Back up now' });
  await expect.poll(() => button.isEnabled()).toBe(true);
  await button.press('Enter');
  await table.getByRole('row').nth(2).waitFor();
  expect(await table.getByRole('row').count()).toBe(3);
  await expectSound(page, 'local backups');
  const command = await page.locator('dl > div', { hasText: 'The latest state' }).locator('dd').textContent();
  expect(command).toContain(`PLINTH_BACKUP_KEY="$(cat '${join(project.dataDir, 'backups.key')}')"`);
  expect(command).toContain(`restore --from '${join(project.dataDir, 'backups')}' --data-dir restored`);
  expect(complaints.list).toEqual([]);
  await context.close();

  expect(await insert(3)).toBe(201);
  await server.stop();
  const key = readFileSync(join(project.dataDir, 'backups.key'), 'utf8');
  const { status, stderr } = await run(
    project,
    ['restore', '--from', join(project.dataDir, 'backups'), '--data-dir', restored],
    { env: { PLINTH_BACKUP_KEY: key } },
  );
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  server = await startServer(project, restored);
  const rows = await fetch(`${server.API_URL}/rest/v1/notes?select=n&order=n`, { headers: headers(server) });
  expect(await rows.json()).toEqual([{ n: 1 }, { n: 2 }]);
  const file = await fetch(`${server.API_URL}/storage/v1/object/public/files/a.txt`);
  expect(await file.text()).toBe('the bytes');
});

it('a restored copy doesn’t offer backups', async () => {
  expect(existsSync(join(restored, 'backups'))).toBe(false);
  const { stdout } = await run(project, ['console', '--data-dir', restored]);
  const link = /http\S+#token=\S+/.exec(stdout)?.[0] ?? '';
  const { context } = await openContext(browser, {});
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.goto(new URL('/console/backups', link).href);
  await page.getByText('Backups aren’t set up').waitFor();
  expect(await page.getByRole('button', { name: 'Back up now' }).count()).toBe(0);
  await context.close();
});
