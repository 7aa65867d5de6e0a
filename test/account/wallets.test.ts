/**
 * Tests sign-in with a wallet in a real browser: with wallets that announce themselves, with wallets that don't
 * announce themselves, and with errors.
 */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ethereumWallet, solanaWallet, type TestWallet } from '../auth/wallet-keys.ts';
import { freePort } from '../support/free-port.ts';
import { type Complaints, openContext, scrollsSideways } from '../web/browser.ts';
import { stateViolations, withStates } from '../web/states.ts';
import {
  announcing,
  ethereumProvider,
  installWallet,
  legacySolana,
  shortAddress,
  standard,
} from './browser-wallets.ts';
import { openStage, type Stage } from './harness.ts';

let stage: Stage;
let origin: string;
let context: BrowserContext;
let complaints: Complaints;
let page: Page;

beforeAll(async () => {
  // Wallets sign messages only for a host name, never for an IP address.
  const port = await freePort();
  origin = `http://localhost:${port}`;
  stage = await openStage(
    { auth: { web3: { ethereum: { enabled: true }, solana: { enabled: true } } } },
    { port },
  );
});
afterAll(() => stage.close());

beforeEach(async () => {
  ({ context, complaints } = await openContext(stage.browser));
  page = await context.newPage();
});
afterEach(async () => {
  await context.close();
  expect(complaints.list).toEqual([]);
});

const install = (wallet: TestWallet, script: string, change?: (message: string) => string) =>
  installWallet(context, wallet, script, change);

async function check(state: string): Promise<void> {
  expect({ state, violations: await stateViolations(page) }).toEqual({ state, violations: [] });
  expect({ state, sideways: await scrollsSideways(page) }).toEqual({ state, sideways: false });
}

async function choose(): Promise<void> {
  await page.goto(`${origin}/account/sign-in`);
  await page.getByRole('button', { name: 'Sign in with a wallet' }).press('Enter');
}

async function userId(): Promise<string> {
  const response = await page.evaluate(
    `fetch('/account/api/session', { headers: { 'x-plinth-request': '1' } }).then((one) => one.json())`,
  );
  return (response as { session: { user: { id: string } } }).session.user.id;
}

describe('signing in works', () => {
  test(
    'with an Ethereum wallet that announces itself, with the keyboard only, and again for the same account',
    withStates,
    async () => {
      const wallet = ethereumWallet();
      const seen = await install(wallet, announcing);
      await choose();
      const button = page.getByRole('button', { name: 'Continue with Test Fox' });
      await button.waitFor();
      await check('wallets');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText(`Signed in as ${shortAddress(wallet)}`).waitFor();
      await page.getByText('Ethereum wallet', { exact: true }).waitFor();
      await check('security with a wallet');
      const host = new URL(origin).host;
      expect(seen).toEqual([
        expect.stringMatching(
          new RegExp(
            `^${host} wants you to sign in with your Ethereum account:\n${wallet.address}\n\n\nURI: ${origin}/account/sign-in\nVersion: 1\nChain ID: 11155111\nNonce: [0-9a-f]{32}\nIssued At: [-0-9T:.]+Z$`,
          ),
        ),
      ]);
      const first = await userId();
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByRole('heading', { name: 'You’re signed out' }).waitFor();
      await choose();
      await button.click();
      await page.getByText(`Signed in as ${shortAddress(wallet)}`).waitFor();
      expect(await userId()).toBe(first);
    },
  );

  test('with a wallet that sets only window.ethereum', async () => {
    const wallet = ethereumWallet();
    await install(wallet, `window.ethereum = ${ethereumProvider};`);
    await choose();
    await page.getByRole('button', { name: 'Continue with Ethereum wallet' }).click();
    await page.getByText(`Signed in as ${shortAddress(wallet)}`).waitFor();
  });

  test('with a Solana wallet that follows the Wallet Standard', async () => {
    const wallet = solanaWallet();
    await install(wallet, standard);
    await choose();
    await page.getByRole('button', { name: 'Continue with Test Ghost' }).click();
    await page.getByText(`Signed in as ${shortAddress(wallet)}`).waitFor();
    await page.getByText('Solana wallet', { exact: true }).waitFor();
  });

  test('with a wallet that sets only window.solana', async () => {
    const wallet = solanaWallet();
    await install(wallet, legacySolana);
    await choose();
    await page.getByRole('button', { name: 'Continue with Solana wallet' }).click();
    await page.getByText(`Signed in as ${shortAddress(wallet)}`).waitFor();
  });
});

describe('sign-in can fail, and', () => {
  test('the page explains that no wallet was found', withStates, async () => {
    await choose();
    await page.getByText('No wallet found in this browser.').waitFor();
    await check('no wallet');
  });

  test('a user can retry after the wallet rejects the request', withStates, async () => {
    await context.addInitScript(
      `window.ethereum = { request: () => Promise.reject(Object.assign(new Error('no'), { code: 4001 })) };`,
    );
    await choose();
    await page.getByRole('button', { name: 'Continue with Ethereum wallet' }).click();
    await page.getByRole('alert').getByText('The wallet didn’t sign the request.').waitFor();
    await check('wallet refused');
    await page.getByRole('button', { name: 'Continue with Ethereum wallet' }).waitFor();
  });

  test("a signature of another text isn't accepted", async () => {
    await install(ethereumWallet(), announcing, (message) => message.replace('Version: 1', 'Version: 1 '));
    await choose();
    await page.getByRole('button', { name: 'Continue with Test Fox' }).click();
    await page.getByRole('alert').getByText('signature wasn’t accepted').waitFor();
    expect((await context.cookies()).map(({ name }) => name)).not.toContain('plinth-account');
  });

  test('a signed message works only once, and only from the Account pages', async () => {
    const wallet = ethereumWallet();
    await install(wallet, announcing);
    const posted: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/account/api/wallet')) posted.push(request.postData() ?? '');
    });
    await choose();
    await page.getByRole('button', { name: 'Continue with Test Fox' }).click();
    await page.getByText(`Signed in as ${shortAddress(wallet)}`).waitFor();
    const replay = (headers: Record<string, string>) =>
      fetch(`${stage.backend.url}/account/api/wallet`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: posted[0] ?? '',
      });
    const again = await replay({ 'x-plinth-request': '1' });
    expect([again.status, await again.json()]).toEqual([
      403,
      { code: 'wallet_refused', message: expect.any(String) },
    ]);
    expect((await replay({})).status).toBe(403);
    expect(again.headers.getSetCookie()).toEqual([]);
  });

  test("an image from another server isn't shown", async () => {
    await install(
      ethereumWallet(),
      announcing.replace(/icon: "[^"]*"/, `icon: 'https://evil.example/p.png'`),
    );
    await choose();
    const button = page.getByRole('button', { name: 'Continue with Test Fox' });
    await button.waitFor();
    expect(await button.locator('img').count()).toBe(0);
  });

  test('no wallet is offered at an IP address, because wallets sign for host names only', async () => {
    await page.goto(`${stage.backend.url.replace('localhost', '127.0.0.1')}/account/sign-in`);
    await page.getByRole('button', { name: 'Continue', exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('button', { name: 'Sign in with a wallet' }).count()).toBe(0);
    const html = await (
      await fetch(`${stage.backend.url.replace('localhost', '127.0.0.1')}/account/sign-in`)
    ).text();
    expect(/data-off="([^"]*)"/.exec(html)?.[1]?.split(' ')).toContain('wallet');
  });
});
