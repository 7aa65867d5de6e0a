/** Tests in Chromium how the Console shows several servers that share an external database. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Backend, createBackend } from '../../src/entry/main.ts';
import { startBackend } from '../console/harness.ts';
import { expectSound, looks, signedIn } from '../console/page-helpers.ts';
import { availableServers, type ExternalServer, startExternalServer } from '../database/external-server.ts';
import { temporaryFolder } from '../database/helpers.ts';
import { launchBrowser } from '../web/browser.ts';
import { testEach } from '../web/states.ts';

const folder = temporaryFolder();
let server: ExternalServer;
let nodes: readonly [Backend, Backend];
let browser: Browser;
beforeAll(async () => {
  vi.stubEnv('PLINTH_SECRET', 'the secret that all of these servers have');
  const [newest] = availableServers();
  const dir = join(folder.path, 'server');
  mkdirSync(dir, { mode: 0o755 });
  server = await startExternalServer(newest?.bin as string, dir);
  nodes = [await start('one'), await start('two')];
  for (const [index, { url, keys }] of nodes.entries())
    for (let count = 0; count < 3; count++)
      await fetch(`${url}/rest/v1/from_${index}`, { headers: { apikey: keys.secretKey } });
  browser = await launchBrowser();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await browser?.close();
  await Promise.all((nodes ?? []).map((backend) => backend.stop()));
  await server?.stop();
  folder.remove();
});

async function start(name: string): Promise<Backend> {
  const projectDir = join(folder.path, name);
  mkdirSync(join(projectDir, 'supabase'), { recursive: true });
  writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "view"\n');
  const backend = await createBackend({
    ...{
      projectDir,
      dataDir: join(projectDir, '.plinth'),
      databaseUrl: server.url('admin'),
      mode: 'production',
    },
    ...{ exclude: ['storage', 'functions'], port: 0, consolePort: 0, mailPort: 0 },
  });
  await backend.start();
  return backend;
}

const run = (statement: string): Promise<void> => nodes[0].database.pool('supabase_admin').exec(statement);

const stuck = '00000000-0000-4000-8000-000000000000';

testEach(looks)('the nodes page shows each node, and what is wrong with it, at $width px', async (look) => {
  await run(`insert into _plinth.group_nodes (id, name, version, storage_kind)
    values ('${stuck}', 'db-3.internal.example.com:54321', '0.0.1', 'none')`);
  const { colorScheme, ...viewport } = look;
  const { page, complaints, go, close } = await signedIn(browser, nodes[0], { viewport, colorScheme });
  try {
    await go('/nodes');
    const row = (name: RegExp) => page.getByRole('row', { name });
    await row(/This node Degraded/).waitFor();
    await row(/db-3.*Version 0\.0\.1 No answer/).waitFor();
    await page.getByText('2 of 3 nodes answered. No answer: db-3.internal.example.com:54321.').waitFor();
    await page.getByText('The nodes have different versions.', { exact: false }).waitFor();
    await expectSound(page, 'list');
    await row(/This node/)
      .getByRole('link')
      .press('Enter');
    const panel = page.getByRole('dialog');
    await panel.getByText('No SMTP server is configured', { exact: false }).waitFor();
    await panel.getByText('Not read by this node').waitFor();
    await expectSound(page, 'panel');
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    await row(/db-3/).getByRole('link').press('Enter');
    await panel.getByText('The node didn’t answer in time.', { exact: false }).waitFor();
    // The list is updated while it is open.
    await run(`update _plinth.group_nodes set seen_at = now() - interval '1 minute' where id = '${stuck}'`);
    await panel.getByText('The node was killed', { exact: false }).waitFor();
    await expectSound(page, 'gone');
    expect(complaints.list).toEqual([]);
  } finally {
    await run(`delete from _plinth.group_nodes where id = '${stuck}'`);
    await close();
  }
});

testEach(looks)('logs show the node of each entry and can be filtered at $width px', async (look) => {
  const { colorScheme, ...viewport } = look;
  const { page, complaints, go, close } = await signedIn(browser, nodes[0], { viewport, colorScheme });
  await go('/logs?path=from_');
  await page.getByRole('button', { name: '/rest/v1/from_0' }).first().waitFor();
  expect(await page.getByRole('button', { name: '/rest/v1/from_' }).count()).toBe(6);
  expect(await page.getByRole('columnheader', { name: 'Node' }).isVisible()).toBe(look.width > 400);
  await expectSound(page, 'all nodes');
  const select = page.getByLabel('Node', { exact: true });
  const [, second] = await page.getByRole('combobox', { name: 'Node' }).locator('option').allTextContents();
  await select.selectOption({ label: second ?? '' });
  await expect.poll(() => page.getByRole('button', { name: '/rest/v1/from_' }).count()).toBe(3);
  expect(new URL(page.url()).searchParams.get('node')).toMatch(/^[\da-f-]{36}$/);
  await expectSound(page, 'one node');
  await page.getByRole('button', { name: '/rest/v1/from_' }).first().press('Enter');
  await page
    .getByRole('dialog')
    .getByText(second ?? '', { exact: true })
    .waitFor();
  expect(complaints.list).toEqual([]);
  await close();
});

testEach(looks)('metrics are those of all nodes or one of them at $width px', async (look) => {
  const { colorScheme, ...viewport } = look;
  const { page, complaints, go, close } = await signedIn(browser, nodes[1], { viewport, colorScheme });
  await go('/metrics');
  const requests = page.getByRole('row', { name: /^rest/ }).getByRole('cell').nth(1);
  await requests.waitFor();
  const all = Number(await requests.textContent());
  const select = page.getByLabel('Node', { exact: true });
  await select.selectOption({ index: 1 });
  await expect.poll(async () => Number(await requests.textContent())).toBeLessThan(all);
  await expectSound(page, 'one node');
  expect(complaints.list).toEqual([]);
  await close();
});

test('the home page names a node that doesn’t answer, and the palette finds the nodes page', async () => {
  await run(`insert into _plinth.group_nodes (id, name, version, storage_kind)
    values ('${stuck}', 'db-3', '0.2.0', 'none')`);
  const { page, go, close } = await signedIn(browser, nodes[0]);
  try {
    await go('/');
    await page.getByText('db-3 doesn’t answer').waitFor();
    await page.getByRole('link', { name: 'View nodes' }).click();
    await page.getByRole('heading', { name: 'Nodes' }).waitFor();
    await page.goto(`${nodes[0].console.url}/console/keys`);
    await page.getByRole('link', { name: 'Nodes', exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill('nodes');
    await page
      .getByRole('option', { name: /^Nodes/ })
      .first()
      .click();
    await expect.poll(() => page.url()).toContain('/console/nodes');
  } finally {
    await run(`delete from _plinth.group_nodes where id = '${stuck}'`);
    await close();
  }
});

test('a project with the embedded database has no menu entry, and the page explains why', async () => {
  const embedded = await startBackend();
  const { page, go, close } = await signedIn(browser, embedded);
  await go('/nodes');
  await page.getByText('This project has one node').waitFor();
  await page.getByText('With an external PostgreSQL server', { exact: false }).waitFor();
  expect(await page.getByRole('link', { name: 'Nodes', exact: true }).count()).toBe(0);
  await expectSound(page, 'embedded');
  await close();
  await embedded.stop();
});
