/** Tests the Branches page in Chromium with the keyboard: creating, opening, merging and deleting a branch. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectSound, looks, signedIn } from '../console/page-helpers.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { startProject, type TestProject } from './project.ts';

let project: TestProject;
let browser: Browser;

beforeAll(async () => {
  [project, browser] = await Promise.all([
    startProject({ 'config.toml': 'project_id = "branches-page"\n' }),
    launchBrowser(),
  ]);
  await project.backend.operators.createOperator('looker', 'read-only');
});
afterAll(async () => {
  await browser?.close();
  await project?.stop();
});

const slow = { timeout: 120_000 };

test('with the keyboard, a branch can be created, opened, merged and deleted', async () => {
  const { page, go, complaints, close } = await signedIn(browser, project.backend);
  await go('/branches');
  await page.getByText('No branches yet').waitFor();
  await page.getByRole('button', { name: 'Create branch' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('try');
  await dialog.getByLabel('Data').selectOption('masked');
  await dialog.getByRole('button', { name: 'Create branch' }).press('Enter');
  await dialog.waitFor({ state: 'detached', ...slow });
  const card = page.getByRole('region', { name: 'try' });
  await card.getByText('Masked copy').waitFor();

  await card.getByRole('button', { name: 'Open Console of try' }).press('Enter');
  const link = card.getByRole('link', { name: 'Open the Console of this branch' });
  await link.waitFor(slow);
  const other = await browser.newPage();
  await other.goto((await link.getAttribute('href')) ?? '');
  await other.getByRole('heading', { level: 1 }).first().waitFor(slow);
  expect(new URL(other.url()).origin).not.toBe(project.backend.console.url);
  await other.close();

  const [branch] = (await project.backend.manage('listBranches', {})) as {
    project_ref: string;
    name: string;
  }[];
  expect(branch?.name).toBe('main');
  const [, made] = (await project.backend.manage('listBranches', {})) as { project_ref: string }[];
  const migration = { name: 'moods', query: 'create table public.moods (id int primary key)' };
  await project.backend.manage('applyMigration', migration, { ref: made?.project_ref });
  await card.getByRole('button', { name: 'Merge try' }).press('Enter');
  await dialog.getByText('create table public.moods').waitFor(slow);
  await dialog.getByRole('button', { name: 'Merge' }).press('Enter');
  await dialog.waitFor({ state: 'detached', ...slow });
  const migrations = (await project.backend.manage('listMigrations', {})) as { name: string }[];
  expect(migrations.map(({ name }) => name)).toContain('moods');

  await card.getByRole('button', { name: 'Delete try' }).press('Enter');
  await dialog.getByRole('textbox').fill('try');
  await dialog.getByRole('button', { name: 'Delete' }).press('Enter');
  await page.getByText('No branches yet').waitFor(slow);
  expect(complaints.list).toEqual([]);
  await close();
});

test('an operator whose role is read-only can only open a branch', async () => {
  await project.backend.manage('createBranch', { branch_name: 'seen', with_data: true });
  const { page, go, close } = await signedIn(browser, project.backend, {}, 'looker');
  await go('/branches');
  await page.getByRole('button', { name: 'Open Console of seen' }).waitFor();
  expect(await page.getByRole('button', { name: /Create|Merge|Rebase|Reset|Delete/ }).count()).toBe(0);
  await close();
});

describe('the page is sound', () => {
  beforeAll(async () => {
    await project.backend.manage('createBranch', { branch_name: 'sound', with_data: true });
  });
  test.each(looks)('$width px, $colorScheme first', pageStates, async ({ width, height, colorScheme }) => {
    const { page, go, close } = await signedIn(browser, project.backend, {
      viewport: { width, height },
      colorScheme,
    });
    await go('/branches');
    await page.getByRole('region', { name: 'sound' }).waitFor();
    await expectSound(page, 'branches');
    await page.getByRole('button', { name: 'Create branch' }).click();
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await expectSound(page, 'create-branch');
    await close();
  });
});
