/** Tests in Chromium how operators connect and disconnect AI agents, with the official SDK's OAuth client. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { launchBrowser } from '../web/browser.ts';
import { pageStates, withStates } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { type LocalAgent, localAgent } from './oauth-client.ts';
import { expectSound, looks, type SignedIn, signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
const agents: LocalAgent[] = [];
beforeAll(async () => {
  [backend, browser] = await Promise.all([startBackend(), launchBrowser()]);
  await backend.operators.createOperator('dev', 'developer');
});
afterAll(async () => {
  for (const agent of agents) await agent.close();
  await browser?.close();
  await backend?.stop();
});

async function newAgent(name: string, url = `${backend.console.url}/mcp`): Promise<LocalAgent> {
  const agent = await localAgent(url, name);
  agents.push(agent);
  return agent;
}

const asking = (window: SignedIn, name: string) =>
  window.page.getByRole('region', { name: `${name} requests access to this project` });

test(
  'an agent connects with OAuth, refreshes its tokens, and loses access when it is disconnected',
  withStates,
  async () => {
    const agent = await newAgent('Code <b>helper</b>');
    const opened = await agent.begin();
    expect(opened.pathname).toBe('/oauth/authorize');
    const window = await signedIn(browser, backend, {}, 'dev');
    await window.page.goto(opened.href);
    const card = asking(window, 'Code <b>helper</b>');
    await card.getByText('127.0.0.1').waitFor();
    await card.getByText('a program on your computer').waitFor();
    await expectSound(window.page, 'the question');
    const role = card.getByLabel('Role', { exact: true });
    expect(await role.inputValue()).toBe('read-only');
    expect(await role.locator('option').allTextContents()).toEqual(['Developer', 'Read-only']);
    expect(await card.getByLabel('Allow changes').isDisabled()).toBe(true);
    await card.getByRole('button', { name: 'Approve' }).press('Enter');
    await window.page.waitForURL(/\/callback\?/);
    const answer = new URL(window.page.url()).searchParams;
    expect(answer.get('state')).toBe('12345678901234567890');
    expect(answer.get('iss')).toBe(backend.console.url);

    const client = await agent.finish();
    const namesOf = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await namesOf()).toContain('list_tables');
    expect(await namesOf()).not.toContain('apply_migration');
    const { tokens: first } = agent.stored;
    expect(first).toMatchObject({ token_type: 'Bearer', scope: 'read' });

    await backend.database
      .pool('supabase_admin')
      .query(sql`update _plinth.agent_tokens set expires_at = now() where kind = 'access'`);
    const result = await client.callTool({ name: 'list_tables', arguments: {} });
    expect(result.isError).not.toBe(true);
    expect(agent.stored.tokens?.access_token).not.toBe(first?.access_token);
    expect(agent.stored.tokens?.refresh_token).not.toBe(first?.refresh_token);

    await window.go('/agents');
    const connected = window.page.getByRole('region', { name: 'Connected agents' });
    await connected.getByRole('row', { name: /^Code <b>helper<\/b> 127\.0\.0\.1:\d+ Read-only/ }).waitFor();
    await expectSound(window.page, 'the list');
    await connected.getByRole('button', { name: 'Disconnect dev’s agent Code <b>helper</b>' }).press('Enter');
    await window.page
      .getByRole('dialog', { name: 'Disconnect agent' })
      .getByRole('button', { name: 'Disconnect' })
      .press('Enter');
    await connected.getByText('No connected agents yet').waitFor();
    await expect(client.callTool({ name: 'list_tables', arguments: {} })).rejects.toThrow();
    expect(window.complaints.list).toEqual([]);
    await window.close();

    const entries = await backend.database.pool('supabase_admin').query(sql`
      select action, target, operator_name, detail - 'expires_at' as detail from _plinth.audit_log
      where action like 'agent.%' or action = 'mcp.call' order by id`);
    expect(entries).toMatchObject([
      {
        action: 'agent.connect',
        target: 'Code <b>helper</b>',
        operator_name: 'dev',
        detail: { role: 'read-only', read_only: true },
      },
      {
        action: 'mcp.call',
        target: 'list_tables',
        detail: { client: 'Code <b>helper</b>', read_only: true },
      },
      { action: 'agent.revoke', detail: { operator: 'dev' } },
    ]);
  },
);

test('an operator who allows changes can do so for an agent that uses another loopback name', async () => {
  const agent = await newAgent('Writer', `${backend.console.url.replace('127.0.0.1', 'localhost')}/mcp`);
  const opened = await agent.begin();
  // The sign-in link and its cookie are for 127.0.0.1.
  expect(opened.origin).toBe(backend.console.url);
  const window = await signedIn(browser, backend, {}, 'dev');
  await window.page.goto(opened.href);
  const card = asking(window, 'Writer');
  await card.getByLabel('Role', { exact: true }).selectOption('developer');
  await card.getByLabel('Allow changes').check();
  await card.getByLabel('Expires in').selectOption('1');
  await card.getByRole('button', { name: 'Approve' }).click();
  const client = await agent.finish();
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('apply_migration');
  expect(agent.stored.tokens?.scope).toBe('read write');
  expect(window.complaints.list).toEqual([]);
  await window.close();
});

test('an agent that asks to make changes gets only reads by default, and a denied one gets nothing', async () => {
  const agent = await newAgent('Eager', `${backend.console.url}/mcp?read_only=false`);
  const opened = await agent.begin();
  expect(opened.searchParams.get('scope')).toBe('read write');
  const window = await signedIn(browser, backend, {}, 'dev');
  await window.page.goto(opened.href);
  await asking(window, 'Eager').getByText('Eager requests permission to make changes.').waitFor();
  expect(await asking(window, 'Eager').getByLabel('Allow changes').isChecked()).toBe(false);
  await asking(window, 'Eager').getByRole('button', { name: 'Deny' }).click();
  await window.page.waitForURL(/\/callback\?error=access_denied/);
  await expect(agent.finish()).rejects.toThrow();
  await window.close();
});

test('signing in continues with the request', async () => {
  const agent = await newAgent('Patient');
  const opened = await agent.begin();
  const window = await signedIn(browser, backend, {}, 'dev');
  await window.page.context().clearCookies();
  await window.page.goto(opened.href);
  await window.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const other = await window.page.context().newPage();
  await other.goto(await backend.consoleLink('dev'));
  await other.getByRole('heading', { name: 'Home' }).waitFor();
  await window.page.getByRole('button', { name: /signed in/i }).click();
  await asking(window, 'Patient').waitFor();
  await window.close();
});

describe('the page can’t be misused by other websites', () => {
  test('it can’t be framed', async () => {
    const response = await backend.console.fetch('/console/authorize?request=x', {
      headers: { accept: 'text/html' },
    });
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  test('an invalid request doesn’t redirect, and a request of an unknown agent has no link back', async () => {
    const agent = await newAgent('Odd');
    const opened = await agent.begin();
    opened.searchParams.set('code_challenge_method', 'plain');
    const window = await signedIn(browser, backend, {}, 'dev');
    await window.page.goto(opened.href);
    await window.page.getByText('code_challenge_method must be S256').waitFor();
    const back = window.page.getByRole('link', { name: 'Return to the agent' });
    expect(await back.getAttribute('href')).toContain('error=invalid_request');
    opened.searchParams.set('redirect_uri', 'https://evil.example/callback');
    await window.page.goto(opened.href);
    await window.page.getByText("hasn't registered the redirect URI").waitFor();
    expect(await back.count()).toBe(0);
    await window.close();
  });
});

test.each(looks)(
  'the pages are accessible at $width px in the $colorScheme scheme',
  pageStates,
  async ({ width, height, colorScheme }) => {
    const agent = await newAgent(`Agent ${width}`);
    const opened = await agent.begin();
    const window = await signedIn(browser, backend, { viewport: { width, height }, colorScheme });
    await window.page.goto(opened.href);
    const card = asking(window, `Agent ${width}`);
    await card.waitFor();
    await expectSound(window.page, 'the question');
    await card.getByRole('button', { name: 'Approve' }).click();
    await agent.finish();
    await window.go('/agents');
    // A repeated test connects another agent with the same name.
    await window.page
      .getByRole('cell', { name: `Agent ${width} 127` })
      .first()
      .waitFor();
    await expectSound(window.page, 'the list');
    for (const name of ['Cursor', 'VS Code', 'Codex']) {
      await window.page.getByRole('tab', { name }).first().click();
      await expectSound(window.page, `the settings for ${name}`);
    }
    expect(window.complaints.list).toEqual([]);
    await window.close();
  },
);
