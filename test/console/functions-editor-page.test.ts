/** Tests, in Chromium and with the keyboard, that functions are edited on their page. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchBrowser } from '../web/browser.ts';
import { expectSound, type SignedIn, signedIn } from './page-helpers.ts';
import { markup, type ServicesBackend, startServicesBackend } from './services-backend.ts';

let services: ServicesBackend;
let browser: Browser;
let open: SignedIn;
beforeAll(async () => {
  services = await startServicesBackend();
  await services.backend.operators.createOperator('looker', 'read-only');
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await services?.stop();
});

const file = () => join(services.functionsDir, 'noisy', 'index.ts');
const code = (text: string): string => `Deno.serve(() => new Response(${JSON.stringify(text)}));\n`;
beforeEach(async () => {
  writeFileSync(file(), code('first'));
  await open?.close();
  open = await signedIn(browser, services.backend);
  await open.go('/functions?name=noisy');
  await editor('index.ts').getByText('first').waitFor();
});

const editor = (path: string) => open.page.getByRole('textbox', { name: path, exact: true });
const button = (name: string) => open.page.getByRole('button', { name, exact: true });

async function write(path: string, text: string): Promise<void> {
  await editor(path).focus();
  await open.page.keyboard.press('Control+a');
  await open.page.keyboard.insertText(text);
}

test('a file is edited, saved with Ctrl+S, and called', async () => {
  const { page, complaints } = open;
  await write('index.ts', code(markup));
  await page.getByRole('link', { name: 'index.ts · unsaved' }).waitFor();
  await expectSound(page, 'an edited function');
  await page.keyboard.press('Control+s');
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  expect(readFileSync(file(), 'utf8')).toBe(code(markup));
  await page.getByRole('button', { name: 'Send' }).press('Enter');
  await page.getByText(markup).last().waitFor();
  expect(await page.title()).not.toBe('pwned');
  expect(complaints.list).toEqual([]);
});

test('a syntax error is shown at its position before anything is saved', async () => {
  const { page } = open;
  await write('index.ts', 'const fine = 1;\nconst bad: = 2;\n');
  await button('Save file').press('Enter');
  const fault = page.getByRole('alert').filter({ hasText: 'Syntax error' });
  await fault.getByText(/^index\.ts:2:\d+$/).waitFor();
  expect(readFileSync(file(), 'utf8')).toBe(code('first'));
  await expectSound(page, 'a syntax error');
  await write('index.ts', code('second'));
  await page.keyboard.press('Control+s');
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  expect(readFileSync(file(), 'utf8')).toBe(code('second'));
});

test('a file that changed on the disk is a conflict, and can be overwritten or opened', async () => {
  const { page } = open;
  await write('index.ts', code('mine'));
  writeFileSync(file(), code('theirs'));
  await page.keyboard.press('Control+s');
  const conflict = page.getByRole('alert').filter({ hasText: 'index.ts has changed since you opened it.' });
  await conflict.waitFor();
  expect(readFileSync(file(), 'utf8')).toBe(code('theirs'));
  await expectSound(page, 'a conflict');
  await conflict.getByRole('button', { name: 'Overwrite' }).press('Enter');
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  expect(readFileSync(file(), 'utf8')).toBe(code('mine'));
  await write('index.ts', code('mine again'));
  writeFileSync(file(), code('theirs again'));
  await page.keyboard.press('Control+s');
  await conflict.getByRole('button', { name: 'Use the stored file' }).press('Enter');
  await editor('index.ts').getByText('theirs again').waitFor();
  expect(await button('Save file').count()).toBe(0);
});

test('a file is added, and leaving the function requires confirmation', async () => {
  const { page } = open;
  await button('New file').press('Enter');
  const dialog = page.getByRole('dialog', { name: 'New file' });
  await dialog.getByLabel('Path').fill('../other.ts');
  await dialog.getByLabel('Path').press('Enter');
  await dialog.getByText('Use names with letters').waitFor();
  await dialog.getByLabel('Path').fill('lib/word.ts');
  await dialog.getByLabel('Path').press('Enter');
  await write('lib/word.ts', `export const word = 'new';\n`);
  await page.getByRole('link', { name: 'index.ts', exact: true }).press('Enter');
  await write('index.ts', `import { word } from './lib/word.ts';\n${code('x').replace('"x"', 'word')}`);
  await button('Save 2 files').waitFor();
  await page.getByRole('link', { name: 'echo' }).press('Enter');
  const question = page.getByRole('dialog', { name: /Discard/ });
  await question.waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await button('Save 2 files').press('Enter');
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  expect(readFileSync(join(file(), '../lib/word.ts'), 'utf8')).toBe(`export const word = 'new';\n`);
  await page.getByRole('link', { name: 'echo' }).press('Enter');
  await page.getByRole('heading', { name: 'echo', level: 2 }).waitFor();
});

test('a read-only operator reads the code', async () => {
  const { page, go, close } = await signedIn(browser, services.backend, {}, 'looker');
  await go('/functions?name=noisy');
  await page.getByRole('region', { name: 'Code' }).getByText('Deno.serve').waitFor();
  expect(await page.getByRole('textbox', { name: 'index.ts' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'New file' }).count()).toBe(0);
  await close();
});
