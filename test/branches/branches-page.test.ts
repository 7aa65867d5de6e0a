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

/** Creates a branch unless an earlier attempt of the test has created it. */
async function createOnce(name: string): Promise<void> {
  const made = (await project.backend.manage('listBranches', {})) as { name: string }[];
  if (!made.some((branch) => branch.name === name))
    await project.backend.manage('createBranch', { branch_name: name, with_data: true });
}

test('with the keyboard, a branch can be created, opened, merged and deleted', async () => {
  const { page, go, complaints, close } = await signedIn(browser, project.backend);
  await go('/branches');
  // A retry of the test gets another branch.
  const name = `try-${crypto.randomUUID().slice(0, 8)}`;
  await page.getByRole('button', { name: 'Create branch' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill(name);
  await dialog.getByLabel('Data').selectOption('masked');
  await dialog.getByRole('button', { name: 'Create branch' }).press('Enter');
  await dialog.waitFor({ state: 'detached', ...slow });
  const card = page.getByRole('region', { name });
  await card.getByText('Masked copy').waitFor();

  await card.getByRole('button', { name: `Open Console of ${name}` }).press('Enter');
  const link = card.getByRole('link', { name: 'Open the Console of this branch' });
  await link.waitFor(slow);
  const other = await browser.newPage();
  await other.goto((await link.getAttribute('href')) ?? '');
  await other.getByRole('heading', { level: 1 }).first().waitFor(slow);
  expect(new URL(other.url()).origin).not.toBe(project.backend.console.url);
  await other.close();

  const made = (await project.backend.manage('findBranch', { name })) as { project_ref: string };
  const table = `moods_${name.slice(-8)}`;
  const migration = { name: table, query: `create table public.${table} (id int primary key)` };
  await project.backend.manage('applyMigration', migration, { ref: made.project_ref });
  await card.getByRole('button', { name: `Merge ${name}` }).press('Enter');
  await dialog.getByText(`create table public.${table}`).waitFor(slow);
  await dialog.getByRole('button', { name: 'Merge' }).press('Enter');
  await dialog.waitFor({ state: 'detached', ...slow });
  const migrations = (await project.backend.manage('listMigrations', {})) as { name: string }[];
  expect(migrations.map((each) => each.name)).toContain(table);

  await card.getByRole('button', { name: `Delete ${name}` }).press('Enter');
  await dialog.getByRole('textbox').fill(name);
  await dialog.getByRole('button', { name: 'Delete' }).press('Enter');
  await card.waitFor({ state: 'detached', ...slow });
  expect(complaints.list).toEqual([]);
  await close();
});

test('an operator whose role is read-only can only open a branch', async () => {
  await createOnce('seen');
  const { page, go, close } = await signedIn(browser, project.backend, {}, 'looker');
  await go('/branches');
  await page.getByRole('button', { name: 'Open Console of seen' }).waitFor(slow);
  expect(await page.getByRole('button', { name: /Create|Merge|Rebase|Reset|Delete/ }).count()).toBe(0);
  await close();
});

describe('the page is sound', () => {
  beforeAll(async () => {
    await createOnce('sound');
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
