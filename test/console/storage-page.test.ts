/** The storage page in a real Chromium: uploads by keyboard and by drop, previews that run nothing, links. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestBackend } from '../../src/testing.ts';
import { launchBrowser } from '../web/browser.ts';
import { type Backend, type Operator, operator } from './harness.ts';
import { expectSound, looks, signedIn } from './page-helpers.ts';

const attack = '<script>document.title="pwned";top.document.title="pwned"</script>';
const stored = [
  ['page.html', 'text/html', `<!doctype html>${attack}`],
  [
    'drawing.svg',
    'image/svg+xml',
    `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="top.document.title='pwned'">${attack}</svg>`,
  ],
  ['docs/notes.txt', 'text/plain', 'plain notes'],
  ['docs/deep/data.json', 'application/json', '{"a": 1}'],
] as const;

let backend: Backend;
let browser: Browser;
let owner: Operator;
beforeAll(async () => {
  backend = await createTestBackend();
  browser = await launchBrowser();
  owner = await operator(backend);
  await owner.call('POST', '/storage/buckets', bucket('files'));
  await owner.call('POST', '/storage/buckets', bucket('avatars', true));
  for (const [path, type, body] of stored) {
    const { body: link } = await owner.call('POST', '/storage/buckets/files/upload-link', { path });
    await backend.fetch(link.url, { method: 'PUT', headers: { 'content-type': type }, body });
  }
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
});

const bucket = (name: string, isPublic = false) => ({
  name,
  public: isPublic,
  file_size_limit: null,
  allowed_mime_types: null,
});

async function read(path: string): Promise<string> {
  const { body } = await owner.call('GET', `/storage/buckets/files/object?${new URLSearchParams({ path })}`);
  return (await backend.fetch(body.link)).text();
}

const choose = (page: Page, name: string, text: string) =>
  page
    .locator('input[data-upload]')
    .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

test('a bucket is made with its limits, and deleted by typing its name', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/storage');
  await page.getByRole('button', { name: 'New bucket' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('reports');
  await dialog.getByLabel('Largest file').fill('five');
  await dialog.getByLabel('Largest file').press('Enter');
  await dialog.getByText('Write a number with').waitFor();
  await dialog.getByLabel('Largest file').fill('5 MB');
  await dialog.getByLabel('Content types').fill('application/pdf, image/*');
  await dialog.getByRole('button', { name: 'Create bucket' }).press('Enter');
  await page.waitForURL('**/storage?bucket=reports');
  const { body } = await owner.call('GET', '/storage');
  expect(body.buckets.find(({ id }: { id: string }) => id === 'reports')).toMatchObject({
    file_size_limit: 5_000_000,
    allowed_mime_types: ['application/pdf', 'image/*'],
  });
  await page.getByRole('button', { name: 'Bucket', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: 'Delete bucket' }).press('Enter');
  await page.getByLabel('Type reports to go on').fill('reports');
  await page.keyboard.press('Enter');
  await page
    .getByRole('navigation', { name: 'Buckets' })
    .getByRole('link', { name: 'reports' })
    .waitFor({ state: 'detached' });
  expect(complaints.list).toEqual([]);
  await close();
});

test('files are uploaded with the keyboard, into a folder that begins with them', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files');
  await page.getByRole('button', { name: 'New folder' }).press('Enter');
  await page.getByLabel('Name of the folder').fill('inbox');
  await page.keyboard.press('Enter');
  await page.getByText('Nothing here yet').waitFor();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload files into inbox/' }).press('Enter');
  await (await chooser).setFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('first') });
  await page.getByRole('link', { name: 'a.txt' }).waitFor();
  expect(await read('inbox/a.txt')).toBe('first');

  // The same name again is not written over before somebody says so.
  await choose(page, 'a.txt', 'second');
  await page.getByRole('button', { name: 'Replace it' }).press('Enter');
  await expect.poll(() => read('inbox/a.txt')).toBe('second');
  expect(complaints.list).toEqual([]);
  await close();
});

test('files are uploaded by dropping them', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files&folder=dropped/');
  const area = page.getByRole('region', { name: 'Drop files to upload them into dropped/' });
  await area.waitFor();
  const files = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['dropped'], 'b.txt', { type: 'text/plain' }));
    return transfer;
  });
  await area.dispatchEvent('dragover', { dataTransfer: files });
  await area.dispatchEvent('drop', { dataTransfer: files });
  await page.getByRole('link', { name: 'b.txt' }).waitFor();
  expect(await read('dropped/b.txt')).toBe('dropped');
  await close();
});

test('an upload that breaks off is tried again', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files&folder=broken/');
  await page.getByText('Nothing here yet').waitFor();
  await page.route('**/object/upload/sign/**', (route) => route.abort());
  await choose(page, 'c.txt', 'third');
  await page.getByText('The connection was lost.').waitFor();
  await page.unroute('**/object/upload/sign/**');
  await page.getByRole('button', { name: 'Try again' }).press('Enter');
  await page.getByRole('link', { name: 'c.txt' }).waitFor();
  await close();
});

test('a large upload goes in parts where the service takes them, and on from where it broke off', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  const sizeBytes = 7 * 1024 * 1024;
  let stored = 0;
  let fails = true;
  const seen: string[] = [];
  // The server's side of TUS 1.0.0, as storage speaks it.
  await page.route('**/storage/v1/upload/resumable/sign**', async (route) => {
    const request = route.request();
    const headers = request.headers();
    seen.push(`${request.method()} ${headers['upload-offset'] ?? headers['upload-length'] ?? ''}`.trim());
    expect(headers['x-signature']).toMatch(/^ey/);
    if (request.method() === 'POST') {
      expect(headers['upload-metadata']).toContain(`objectName ${btoa('large/film.bin')}`);
      return route.fulfill({ status: 201, headers: { location: `${request.url()}/id` } });
    }
    if (request.method() === 'HEAD')
      return route.fulfill({ status: 200, headers: { 'upload-offset': String(stored) } });
    if (stored > 0 && fails) return route.abort();
    stored = Math.min(sizeBytes, stored + 6 * 1024 * 1024);
    return route.fulfill({ status: 204, headers: { 'upload-offset': String(stored) } });
  });
  await page.route('**/console/api/storage', async (route) => {
    const answer = await route.fetch();
    const facts = await answer.json();
    await route.fulfill({
      response: answer,
      json: { ...facts, features: { ...facts.features, resumable: true } },
    });
  });
  await go('/storage?bucket=files&folder=large/');
  await page.getByText('Nothing here yet').waitFor();
  await page.locator('input[data-upload]').setInputFiles({
    name: 'film.bin',
    mimeType: 'application/octet-stream',
    buffer: Buffer.alloc(sizeBytes),
  });
  await page.getByText('The connection was lost.').waitFor();
  fails = false;
  await page.getByRole('button', { name: 'Resume' }).press('Enter');
  await page.getByText('done', { exact: true }).waitFor();
  const half = String(6 * 1024 * 1024);
  expect(seen).toEqual([`POST ${sizeBytes}`, 'PATCH 0', `PATCH ${half}`, 'HEAD', `PATCH ${half}`]);
  await close();
});

test.each(['page.html', 'drawing.svg'])(
  '%s is shown and runs nothing, in the page or at its link',
  async (file) => {
    const { page, complaints, go, close } = await signedIn(browser, backend);
    await go(`/storage?bucket=files&file=${file}`);
    if (file.endsWith('.html')) await page.getByRole('dialog').getByText('<!doctype html>').waitFor();
    else await page.getByRole('img', { name: file }).waitFor();
    await expectSound(page, file);
    const href = await page.getByRole('link', { name: 'Download' }).getAttribute('href');
    const opened = await page.context().newPage();
    await opened.goto(backend.url + (href ?? '').replace(/&download=.*/, ''));
    await opened.waitForTimeout(200);
    expect(await opened.title()).not.toBe('pwned');
    expect(complaints.list.filter((text) => !/Blocked script execution/.test(text))).toEqual([]);
    await close();
  },
);

test('a file is moved, shared and deleted, its folder deleted whole', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files&folder=docs/&file=docs/notes.txt');
  await page.getByText('plain notes').waitFor();
  await page.getByRole('button', { name: 'Link to share' }).press('Enter');
  await page.getByRole('button', { name: 'Make the link' }).press('Enter');
  await page.getByRole('status').getByText('/storage/v1/object/sign/').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Move or rename' }).press('Enter');
  await page.getByLabel('New path').fill('docs/renamed.txt');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'renamed.txt' }).waitFor();
  expect(await read('docs/renamed.txt')).toBe('plain notes');
  await go('/storage?bucket=files');
  await page.getByRole('checkbox', { name: 'Select docs/' }).press('Space');
  await page.getByRole('button', { name: 'Delete 1' }).press('Enter');
  await page.getByLabel('Type files to go on').fill('files');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'docs/' }).waitFor({ state: 'detached' });
  expect(complaints.list).toEqual([]);
  await close();
});

test('a read-only operator looks and is offered nothing that changes', async () => {
  await backend.operators.createOperator('looker', 'read-only');
  const { page, go, close } = await signedIn(browser, backend, {}, 'looker');
  await go('/storage?bucket=files&file=page.html');
  await page.getByRole('link', { name: 'Download' }).waitFor();
  for (const name of ['New bucket', 'Upload', 'Delete', 'Move or rename', 'Link to share', 'Bucket'])
    expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0]);
  await close();
});

test.each(looks)(
  'every state is sound at $width px, $colorScheme',
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, go, close } = await signedIn(browser, backend, { viewport, colorScheme });
    await go('/storage');
    await page.getByRole('link', { name: 'avatars' }).waitFor();
    await expectSound(page, 'buckets');
    await go('/storage?bucket=avatars');
    await page.getByText('Nothing here yet').waitFor();
    await expectSound(page, 'an empty bucket');
    await go('/storage?bucket=files');
    await page.getByRole('link', { name: 'page.html' }).waitFor();
    await expectSound(page, 'files');
    await choose(page, 'page.html', 'again');
    await page.getByRole('button', { name: 'Replace it' }).waitFor();
    await expectSound(page, 'a failed upload');
    await go('/storage?bucket=files&file=page.html');
    await page.getByRole('dialog').getByText('<!doctype html>').waitFor();
    await expectSound(page, 'a file');
    expect(complaints.list).toEqual([]);
    await close();
  },
  60_000,
);
