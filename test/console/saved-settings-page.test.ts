/** Tests in Chromium how the settings pages show saved settings that override the project's files. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeViolations, launchBrowser, openContext } from '../web/browser.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, signInWindow } from './page-helpers.ts';

const projectDir = mkdtempSync(join(tmpdir(), 'plinth-saved-page-'));
const dataDir = join(projectDir, '.plinth');
const saved = join(dataDir, 'saved-settings/config.toml');
const project =
  '[auth]\njwt_expiry = 3600\n\n[auth.external.github]\nclient_id = "app"\nsecret = "env(GITHUB)"\n';
let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  mkdirSync(join(projectDir, 'supabase'));
  writeFileSync(join(projectDir, 'supabase/config.toml'), project);
  backend = await startBackend({ projectDir, dataDir, hasSavedSettings: true });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  rmSync(projectDir, { recursive: true });
});

test('an overridden setting is marked, and can use the project’s value or the default', async () => {
  const { context, complaints } = await openContext(browser, { viewport: { width: 1280, height: 800 } });
  await signInWindow(context, backend);
  const page = await context.newPage();
  await page.goto(`${backend.console.url}/console/settings?section=sessions`);
  const field = page.getByLabel('Lifetime of access tokens', { exact: true });
  await expect.poll(() => field.inputValue()).toBe('3600');
  expect(await page.getByText('Overrides the project').count()).toBe(0);
  const useProject = page.getByRole('button', { name: 'Use project’s value: Lifetime of access tokens' });
  expect(await useProject.count()).toBe(0);

  const save = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Review changes' }).press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('region', { name: 'Changes to .plinth/saved-settings/config.toml' }).waitFor();
    await dialog.getByText('They override the project’s files, which stay the same.').waitFor();
    await dialog.getByRole('button', { name: 'Save on this server' }).press('Enter');
    await dialog.waitFor({ state: 'detached' });
  };
  await field.fill('7200');
  await save();
  await page.getByText('Overrides the project').waitFor();
  await page.getByText('The project’s file contains: 3600').waitFor();
  expect(await axeViolations(page)).toEqual([]);

  await page.getByRole('button', { name: 'Reset to default: Lifetime of access tokens' }).press('Enter');
  await save();
  await expect.poll(() => readFileSync(saved, 'utf8')).toContain('unset = ["auth.jwt_expiry"]');
  await page.getByText('The project’s file contains: 3600').waitFor();
  await expect.poll(() => field.inputValue()).toBe('');

  await useProject.press('Enter');
  await expect.poll(() => field.inputValue()).toBe('3600');
  await page.getByRole('button', { name: 'Undo change: Lifetime of access tokens' }).press('Enter');
  await expect.poll(() => field.inputValue()).toBe('');
  await useProject.press('Enter');
  await save();
  await page.getByText('Overrides the project').waitFor({ state: 'detached' });
  await expect.poll(() => field.inputValue()).toBe('3600');
  expect(readFileSync(saved, 'utf8')).not.toContain('jwt_expiry');
  expect(readFileSync(join(projectDir, 'supabase/config.toml'), 'utf8')).toBe(project);
  expect(complaints.list).toEqual([]);
  await context.close();
});

test('secrets are described as stored on this server, because the test server has no other nodes', async () => {
  const { context, complaints } = await openContext(browser, { viewport: { width: 390, height: 800 } });
  await signInWindow(context, backend);
  const page = await context.newPage();
  await page.goto(
    `${backend.console.url}/console/settings?setting=auth.external.github.secret&section=providers`,
  );
  await page.getByText('stored in this server’s data folder').filter({ visible: true }).first().waitFor();
  await expectSound(page, 'a secret');
  expect(complaints.list).toEqual([]);
  await context.close();
});
