/**
 * Tests the Console's backups page in Chromium. On this page, operators can create a backup, check a restore, and read
 * how to restore.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectSound, looks } from '../console/page-helpers.ts';
import { launchBrowser, openContext } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { makeProject, type RunningServer, run, startServer } from './server.ts';

const target = mkdtempSync(join(tmpdir(), 'plinth-target-'));
const project = makeProject(target);
let server: RunningServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(project), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  project.remove();
  rmSync(target, { recursive: true, force: true });
});

async function openBackups(options: Parameters<typeof openContext>[1]): Promise<{
  page: Page;
  complaints: readonly string[];
}> {
  const { stdout } = await run(project, ['console']);
  const link = /http\S+#token=\S+/.exec(stdout)?.[0] ?? '';
  const { context, complaints } = await openContext(browser, options);
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.goto(new URL('/console/backups', link).href);
  return { page, complaints: complaints.list };
}

const fact = (page: Page, label: string) =>
  page.locator('dl > div', { hasText: label }).locator('dd').first();

it('the page backs up and proves that the backup can be restored, with the keyboard only', async () => {
  const { page, complaints } = await openBackups({ viewport: { width: 1440, height: 900 } });
  await page.getByText('Your backups haven’t been verified yet.', { exact: false }).waitFor();
  // The first backup starts automatically.
  const table = page.getByRole('table', { name: 'Base backups' });
  await table.getByRole('row').nth(1).waitFor();
  await page.getByRole('button', { name: 'Back up now' }).press('Enter');
  await table.getByRole('row').nth(2).waitFor();
  await page.getByRole('img', { name: 'Size in MB' }).waitFor();

  await page.getByRole('button', { name: 'Verify backup' }).press('Enter');
  await page.getByText('Verification in progress:', { exact: false }).waitFor();
  await page.getByText('The verification succeeded.').waitFor({ timeout: 60_000 });
  await expect.poll(() => fact(page, 'Checked').textContent()).toMatch(/^\d+ tables, [\d,]+ rows, 0 files$/);
  expect(await fact(page, 'Target').textContent()).toContain(target);
  expect(await fact(page, 'A point in time').textContent()).toMatch(
    /npm run -s plinth -- restore --to-time \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ --data-dir restored/,
  );
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('the page shows a check from the command line, and an unreachable target', async () => {
  expect((await run(project, ['backup', 'verify'])).status).toBe(0);
  rmSync(target, { recursive: true });
  const { page } = await openBackups({ viewport: { width: 1440, height: 900 } });
  await page.getByText('The verification succeeded.').waitFor();
  await page.getByText('Backups need attention').waitFor();
  await page.getByRole('button', { name: 'Verify backup' }).press('Enter');
  await page.getByText('1 problem was found').waitFor();
  await page.context().close();
});

it.each(looks)(
  'the page is accessible at $width px, $colorScheme first',
  pageStates,
  async ({ width, height, colorScheme }) => {
    const { page } = await openBackups({ viewport: { width, height }, colorScheme });
    await page.getByRole('heading', { name: 'Restore', exact: true }).waitFor();
    await expectSound(page, 'backups');
    await page.context().close();
  },
);
