/** Tests access tokens on the operators page with the keyboard, in Chromium. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser } from '../web/browser.ts';
import { pageStates } from '../web/states.ts';
import { type Backend, startBackend } from './harness.ts';
import { expectSound, looks, signedIn } from './page-helpers.ts';

let backend: Backend;
let browser: Browser;
beforeAll(async () => {
  backend = await startBackend();
  browser = await launchBrowser();
  await backend.operators.createOperator('dev', 'developer');
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

const accepts = async (token: string): Promise<boolean> => {
  const response = await backend.console.fetch('/v1/projects', {
    headers: { authorization: `Bearer ${token}` },
  });
  return response.ok;
};

test('a token is created, shown once and revoked, with the keyboard', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend, {}, 'dev');
  await go('/operators');
  const card = page.getByRole('region', { name: 'Access tokens' });
  await card.getByText('No access tokens yet').waitFor();
  await card.getByRole('button', { name: 'Create token' }).press('Enter');
  await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('ci <b>');
  // A developer can't select the owner role.
  const role = page.getByLabel('Role', { exact: true });
  await expect.poll(() => role.locator('option').allTextContents()).toEqual(['Developer', 'Read-only']);
  await role.selectOption('read-only');
  await page.getByLabel('Expires in').selectOption('7');
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).press('Enter');

  const created = page.getByRole('dialog', { name: 'Token ci <b>' });
  const token = (await created.locator('code').first().textContent()) ?? '';
  expect(token).toMatch(/^sbp_[0-9a-f]{40}$/);
  expect(await accepts(token)).toBe(true);
  await created.getByText('with the role Read-only').waitFor();
  await created.getByRole('button', { name: 'Done' }).press('Enter');
  await created.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(token);

  await card.getByRole('row', { name: /^ci <b> Read-only/ }).waitFor();
  await card.getByRole('button', { name: 'Revoke dev’s token ci <b>' }).press('Enter');
  await page
    .getByRole('dialog', { name: 'Revoke token' })
    .getByRole('button', { name: 'Revoke' })
    .press('Enter');
  await card.getByText('No access tokens yet').waitFor();
  expect(await accepts(token)).toBe(false);
  expect(complaints.list).toEqual([]);
  await close();
});

test('a name that is in use is reported', async () => {
  await backend.operators.tokens.create('used', 'dev', null);
  const { page, go, close } = await signedIn(browser, backend, {}, 'dev');
  await go('/operators');
  await page.getByRole('button', { name: 'Create token' }).press('Enter');
  await page.getByLabel('Name').and(page.locator(':focus')).waitFor();
  await page.keyboard.type('used');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('already has a token named used').waitFor();
  await close();
});

test.each(looks)(
  'the page is accessible at $width px in the $colorScheme scheme',
  pageStates,
  async ({ width, height, colorScheme }) => {
    await backend.consoleLink();
    await backend.operators.tokens.create(`deployment ${width}`, undefined, 3600);
    const options = { viewport: { width, height }, colorScheme };
    const { page, complaints, go, close } = await signedIn(browser, backend, options);
    await go('/operators');
    const card = page.getByRole('region', { name: 'Access tokens' });
    await card.getByText(`deployment ${width}`).waitFor();
    await expectSound(page, 'the list');
    const button = await card.getByRole('button', { name: `token deployment ${width}` }).boundingBox();
    expect((button?.x ?? width) + (button?.width ?? 0)).toBeLessThan(width);
    await card.getByRole('button', { name: 'Create token' }).click();
    await page.getByLabel('Name').waitFor();
    await expectSound(page, 'the form');
    await page.getByLabel('Name').fill(`new ${width}`);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: `Token new ${width}` }).waitFor();
    await expectSound(page, 'the token');
    expect(complaints.list).toEqual([]);
    await close();
  },
);
