/**
 * Tests the storage page in Chromium: uploads with the keyboard and by dropping files, previews that don't run scripts,
 * and links.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { animationsEnded, launchBrowser } from '../web/browser.ts';
import { pageStates, withStates } from '../web/states.ts';
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
  ['paper.pdf', 'application/pdf', '%PDF-1.4'],
  ['docs/notes.txt', 'text/plain', 'plain notes'],
  ['docs/deep/data.json', 'application/json', '{"a": 1}'],
] as const;

const filmFolder = mkdtempSync(join(tmpdir(), 'plinth-film-'));
const filmPath = join(filmFolder, 'film.bin');
let backend: Backend;
let browser: Browser;
let owner: Operator;
beforeAll(async () => {
  backend = await createTestBackend({ config: { storage: { image_transformation: { enabled: true } } } });
  writeFileSync(filmPath, film);
  browser = await launchBrowser();
  owner = await operator(backend);
  await owner.call('POST', '/storage/buckets', bucket('files'));
  await owner.call('POST', '/storage/buckets', bucket('avatars', true));
  const photo = await sharp({ create: { width: 1500, height: 900, channels: 3, background: '#369' } })
    .png()
    .toBuffer();
  const noise = await sharp(randomBytes(300 * 300 * 3), { raw: { width: 300, height: 300, channels: 3 } })
    .png()
    .toBuffer();
  const pictures = [
    ['photo.png', 'image/png', photo],
    ['noise.png', 'image/png', noise],
    ['damaged.png', 'image/png', photo.subarray(0, 60)],
  ] as const;
  for (const [path, type, body] of [...stored, ...pictures]) {
    const { body: link } = await owner.call('POST', '/storage/buckets/files/upload-link', { path });
    await backend.fetch(link.url, { method: 'PUT', headers: { 'content-type': type }, body });
  }
});
afterAll(async () => {
  await browser?.close();
  await backend?.stop();
  rmSync(filmFolder, { recursive: true, force: true });
});

const bucket = (name: string, isPublic = false) => ({
  name,
  public: isPublic,
  file_size_limit: null,
  allowed_mime_types: null,
});

async function readBytes(path: string): Promise<Buffer> {
  const { body } = await owner.call('GET', `/storage/buckets/files/object?${new URLSearchParams({ path })}`);
  return Buffer.from(await (await backend.fetch(body.link)).arrayBuffer());
}
const read = async (path: string): Promise<string> => (await readBytes(path)).toString();

const choose = (page: Page, name: string, text: string) =>
  page
    .locator('input[data-upload]')
    .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

test('a bucket can be created with limits, and deleted by typing its name', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/storage');
  await page.getByRole('button', { name: 'New bucket' }).press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('reports');
  await dialog.getByLabel('Max file size').fill('five');
  await dialog.getByLabel('Max file size').press('Enter');
  await dialog.getByText('Enter a number and a unit').waitFor();
  await dialog.getByLabel('Max file size').fill('5 MB');
  await dialog.getByLabel('Allowed MIME types').fill('application/pdf, image/*');
  await dialog.getByRole('button', { name: 'Create bucket' }).press('Enter');
  await page.waitForURL('**/storage?bucket=reports');
  const { body } = await owner.call('GET', '/storage');
  expect(body.buckets.find(({ id }: { id: string }) => id === 'reports')).toMatchObject({
    file_size_limit: 5_000_000,
    allowed_mime_types: ['application/pdf', 'image/*'],
  });
  await page.getByRole('button', { name: 'Bucket', exact: true }).press('Enter');
  await page.getByRole('menuitem', { name: 'Delete bucket' }).press('Enter');
  await page.getByLabel('Type reports to confirm').fill('reports');
  await page.keyboard.press('Enter');
  await page
    .getByRole('navigation', { name: 'Buckets' })
    .getByRole('link', { name: 'reports' })
    .waitFor({ state: 'detached' });
  expect(complaints.list).toEqual([]);
  await close();
});

test('files can be uploaded into a new folder with the keyboard', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files');
  await page.getByRole('button', { name: 'New folder' }).press('Enter');
  await page.getByLabel('Folder name').fill('inbox');
  await page.keyboard.press('Enter');
  await page.getByText('No files yet').waitFor();
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload files to inbox/' }).press('Enter');
  await (await chooser).setFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('first') });
  await page.getByRole('link', { name: 'a.txt' }).waitFor();
  expect(await read('inbox/a.txt')).toBe('first');

  // A file with the same name is overwritten only after a confirmation.
  await choose(page, 'a.txt', 'second');
  await page.getByRole('button', { name: 'Replace file' }).press('Enter');
  await expect.poll(() => read('inbox/a.txt')).toBe('second');
  expect(complaints.list).toEqual([]);
  await close();
});

test('files can be uploaded by dropping them', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files&folder=dropped/');
  const area = page.getByRole('region', { name: 'Drop files to upload them to dropped/' });
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

test('an interrupted upload is retried', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files&folder=broken/');
  await page.getByText('No files yet').waitFor();
  await page.route('**/object/upload/sign/**', (route) => route.abort());
  await choose(page, 'c.txt', 'third');
  await page.getByText('The connection was lost.').waitFor();
  await page.unroute('**/object/upload/sign/**');
  await page.getByRole('button', { name: 'Try again' }).press('Enter');
  await page.getByRole('link', { name: 'c.txt' }).waitFor();
  await close();
});

const film = randomBytes(13 * 1024 * 1024);
const chooseFilm = (page: Page) => page.locator('input[data-upload]').setInputFiles(filmPath);
/** Returns a list that collects the page's requests to the resumable endpoint, and their responses. */
function watchParts(page: Page): string[] {
  const seen: string[] = [];
  page.on('response', (response) => {
    const request = response.request();
    if (!/\/upload\/resumable/.test(request.url())) return;
    const at = request.headers()['upload-offset'] ?? '';
    seen.push(`${request.method()} ${at} ${response.status()}`.replace('  ', ' '));
  });
  return seen;
}
async function breakAfterFirstPart(page: Page): Promise<void> {
  await page.route('**/storage/v1/upload/resumable/sign/*', (route) =>
    route.request().headers()['upload-offset'] === part ? route.abort() : route.continue(),
  );
}
const part = String(6 * 1024 * 1024);
const secondPart = String(12 * 1024 * 1024);

test('a large upload is sent in parts and continues after an interruption', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files&folder=large/');
  await page.getByText('No files yet').waitFor();
  const seen = watchParts(page);
  await breakAfterFirstPart(page);
  await chooseFilm(page);
  await page.getByText('The connection was lost.').waitFor();
  await page.unroute('**/storage/v1/upload/resumable/sign/*');
  await page.getByRole('button', { name: 'Resume' }).press('Enter');
  await page.getByText('done', { exact: true }).waitFor();
  await expect
    .poll(() => seen)
    .toEqual(['POST 201', 'PATCH 0 204', 'HEAD 200', `PATCH ${part} 204`, `PATCH ${secondPart} 204`]);
  expect((await readBytes('large/film.bin')).equals(film)).toBe(true);
  await close();
});

test('a large upload resumes after a reload when its file is chosen again', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files&folder=reloaded/');
  await page.getByText('No files yet').waitFor();
  await breakAfterFirstPart(page);
  await chooseFilm(page);
  await page.getByText('The connection was lost.').waitFor();
  await page.unroute('**/storage/v1/upload/resumable/sign/*');
  await page.reload();
  await page.getByText('No files yet').waitFor();
  const seen = watchParts(page);
  await chooseFilm(page);
  await page.getByText('done', { exact: true }).waitFor();
  await expect.poll(() => seen).toEqual(['HEAD 200', `PATCH ${part} 204`, `PATCH ${secondPart} 204`]);
  expect((await readBytes('reloaded/film.bin')).equals(film)).toBe(true);
  await expect.poll(() => page.evaluate(() => localStorage.getItem('plinth-uploads'))).toBeNull();
  await close();
});

test('an upload that the server has deleted starts again', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files&folder=forgotten/');
  await page.getByText('No files yet').waitFor();
  await breakAfterFirstPart(page);
  await chooseFilm(page);
  await page.getByText('The connection was lost.').waitFor();
  await page.unroute('**/storage/v1/upload/resumable/sign/*');
  await page.evaluate(() => {
    const places = JSON.parse(localStorage.getItem('plinth-uploads') ?? '[]') as { address: string }[];
    for (const place of places) place.address = place.address.replace(/[^/]+$/, 'gone');
    localStorage.setItem('plinth-uploads', JSON.stringify(places));
  });
  await page.reload();
  await page.getByText('No files yet').waitFor();
  const seen = watchParts(page);
  await chooseFilm(page);
  await page.getByText('done', { exact: true }).waitFor();
  await expect.poll(() => seen.slice(0, 2)).toEqual(['HEAD 404', 'POST 201']);
  await close();
});

test('an image is shown in a smaller size if the service supports it', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files&file=photo.png');
  const picture = page.getByRole('img', { name: 'photo.png' });
  await expect
    .poll(() => picture.getAttribute('src'))
    .toContain('/storage/v1/render/image/sign/files/photo.png');
  await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1000);
  // The server can't create a thumbnail of a damaged image, so the browser loads the original file.
  await go('/storage?bucket=files&file=damaged.png');
  const damaged = page.getByAltText('damaged.png');
  await expect.poll(() => damaged.getAttribute('src')).toContain('/storage/v1/object/sign/files/damaged.png');
  expect(complaints.list.filter((text) => !/status of 400/.test(text))).toEqual([]);
  await close();
});

test(
  'a PDF isn’t shown in a frame, but opened in a tab without access to this page',
  withStates,
  async () => {
    const { page, complaints, go, close } = await signedIn(browser, backend);
    await go('/storage?bucket=files&file=paper.pdf');
    const link = page.getByRole('dialog').getByRole('link', { name: 'Open the PDF in a new tab' });
    await link.waitFor();
    expect(await page.locator('iframe, object, embed').count()).toBe(0);
    // The tab receives a hostile response instead of a PDF.
    await page.context().route('**/storage/v1/object/sign/files/paper.pdf*', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<p>here</p><script>document.title = String(window.opener)</script>`,
      }),
    );
    const [tab] = await Promise.all([page.context().waitForEvent('page'), link.press('Enter')]);
    await tab.getByText('here').waitFor();
    await expect.poll(() => tab.title()).toBe('null');
    expect(await tab.evaluate(() => document.referrer)).toBe('');
    await expectSound(page, 'a PDF');
    expect(complaints.list).toEqual([]);
    await close();
  },
);

test.each(['page.html', 'drawing.svg'])(
  '%s is shown without running scripts, on the page and at its link',
  withStates,
  async (file) => {
    const { page, complaints, go, close } = await signedIn(browser, backend);
    await go(`/storage?bucket=files&file=${file}`);
    if (file.endsWith('.html')) await page.getByRole('dialog').getByText('<!doctype html>').waitFor();
    else await page.getByRole('img', { name: file }).waitFor();
    await expectSound(page, file);
    const href = await page.getByRole('link', { name: 'Download' }).getAttribute('href');
    const opened = await page.context().newPage();
    await opened.goto((href ?? '').replace(/&download=.*/, ''));
    await opened.waitForTimeout(200);
    expect(await opened.title()).not.toBe('pwned');
    expect(complaints.list.filter((text) => !/Blocked script execution/.test(text))).toEqual([]);
    await close();
  },
);

test('a file can be moved, shared and deleted, and its folder can be deleted completely', async () => {
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files&folder=docs/&file=docs/notes.txt');
  await page.getByText('plain notes').waitFor();
  await page.getByRole('button', { name: 'Share link' }).press('Enter');
  await page.getByRole('button', { name: 'Create link' }).press('Enter');
  await page.getByRole('status').getByText('/storage/v1/object/sign/').waitFor();
  await page.getByRole('button', { name: 'Close' }).filter({ hasText: 'Close' }).press('Enter');
  await page.getByRole('status').getByText('/storage/v1/object/sign/').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Move or rename' }).press('Enter');
  await page.getByLabel('New path').fill('docs/renamed.txt');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'renamed.txt' }).waitFor();
  expect(await read('docs/renamed.txt')).toBe('plain notes');
  await go('/storage?bucket=files');
  await page.getByRole('checkbox', { name: 'Select docs/' }).press('Space');
  await page.getByRole('button', { name: 'Delete 1' }).press('Enter');
  await page.getByLabel('Type files to confirm').fill('files');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'docs/' }).waitFor({ state: 'detached' });
  expect(complaints.list).toEqual([]);
  await close();
});

test('uploads are summarized, and all failed uploads can be retried together', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files&folder=batch/');
  await page.getByText('No files yet').waitFor();
  await page.route('**/object/upload/sign/**/bad-*', (route) => route.abort());
  await page.locator('input[data-upload]').setInputFiles(
    ['a.txt', 'bad-1.txt', 'b.txt', 'bad-2.txt'].map((name) => ({
      name,
      mimeType: 'text/plain',
      buffer: Buffer.from(name),
    })),
  );
  const uploads = page.getByRole('region', { name: 'Uploads' });
  await uploads.getByText('2 files uploaded, 2 failed').waitFor();
  await expect.poll(() => uploads.getByRole('listitem').count()).toBe(2);
  await uploads.getByRole('button', { name: 'Show files' }).press('Enter');
  await expect.poll(() => uploads.getByRole('listitem').count()).toBe(4);
  await page.unroute('**/object/upload/sign/**/bad-*');
  await uploads.getByRole('button', { name: 'Retry 2 files' }).press('Enter');
  await uploads.getByText('4 files uploaded', { exact: true }).waitFor();
  expect(await read('batch/bad-2.txt')).toBe('bad-2.txt');
  await close();
});

test('everything in a folder, including pages that aren’t loaded, can be selected and moved, and a folder can be renamed', async () => {
  await backend.database.pool('supabase_admin').query(sql`
    insert into storage.objects (bucket_id, name, metadata)
    select 'files', 'crowd/' || lpad(i::text, 4, '0') || '.txt', '{"size": 3, "mimetype": "text/plain"}'
    from generate_series(1, 230) i`);
  const { page, complaints, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files&folder=crowd/');
  await page.getByRole('link', { name: '0001.txt' }).waitFor();
  await page.getByLabel('Select all loaded files and folders').press('Space');
  await page.getByText('200 items selected').waitFor();
  await page.getByRole('button', { name: 'Select everything in this folder' }).press('Enter');
  await page.getByText('230 items selected').waitFor();
  await page.getByRole('button', { name: 'Clear selection' }).press('Enter');
  const { body: link } = await owner.call('POST', '/storage/buckets/files/upload-link', {
    path: 'album/one.txt',
  });
  await backend.fetch(link.url, {
    method: 'PUT',
    headers: { 'content-type': 'text/plain' },
    body: 'one',
  });
  await go('/storage?bucket=files');
  await page.getByLabel('Select album/').press('Space');
  await page.getByRole('button', { name: 'Move or rename' }).press('Enter');
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('archive');
  await page.getByRole('button', { name: 'Move 1 item' }).press('Enter');
  await page.getByRole('link', { name: 'archive/' }).waitFor();
  expect(await read('archive/one.txt')).toBe('one');
  expect(complaints.list).toEqual([]);
  await close();
});

test('files don’t move when they are selected', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files');
  const box = page.getByRole('checkbox', { name: 'Select paper.pdf' });
  await box.waitFor();
  await page.getByText(/^Total: \d+ files/).waitFor();
  await animationsEnded(page);
  const before = await box.boundingBox();
  await box.check();
  await page.getByText('1 item selected').waitFor();
  await expect.poll(() => box.boundingBox()).toEqual(before);
  await close();
});

test('images have thumbnails, and buckets show their usage', async () => {
  const { page, go, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files');
  const thumbnailOf = (name: string) => page.getByRole('row').filter({ hasText: name }).locator('img');
  const thumbnail = thumbnailOf('noise.png');
  await thumbnail.waitFor();
  // The photo has a single color, so its file is small.
  await expect.poll(() => thumbnailOf('photo.png').getAttribute('src')).toContain('/object/sign/');
  await expect.poll(() => thumbnail.getAttribute('src')).toContain('/render/image/sign/');
  await expect.poll(() => thumbnail.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(96);
  expect(await thumbnailOf('drawing.svg').count()).toBe(0);
  await page.getByRole('link', { name: /^files \d+ files · / }).waitFor();
  await page.getByText(/^Total: \d+ files/).waitFor();
  await close();
});

test('a read-only operator can view everything but doesn’t see controls that change data', async () => {
  await backend.operators.createOperator('looker', 'read-only');
  const { page, go, close } = await signedIn(browser, backend, {}, 'looker');
  await go('/storage?bucket=files&file=page.html');
  await page.getByRole('link', { name: 'Download' }).waitFor();
  for (const name of ['New bucket', 'Upload', 'Delete', 'Move or rename', 'Share link', 'Bucket'])
    expect([name, await page.getByRole('button', { name }).count()]).toEqual([name, 0]);
  await owner.call('POST', '/storage/buckets', bucket('unused'));
  await go('/storage?bucket=unused');
  await page.getByText('Your role is read-only, so you can’t upload files.').waitFor();
  await owner.call('DELETE', '/storage/buckets/unused');
  await go('/storage?bucket=unused');
  await page.getByText('The bucket unused doesn’t exist.').waitFor();
  await close();
});

test('files are sorted by size on the server, and the order is in the URL', withStates, async () => {
  const { page, go, complaints, close } = await signedIn(browser, backend);
  await go('/storage?bucket=files');
  const size = page.getByRole('columnheader', { name: 'Size' });
  await size.getByRole('button').press('Enter');
  await expect.poll(() => size.getAttribute('aria-sort')).toBe('descending');
  const files = async () =>
    (await page.getByRole('table').getByRole('link').allTextContents()).filter((name) => !name.endsWith('/'));
  await expect.poll(async () => (await files())[0]).toBe('noise.png');
  await size.getByRole('button').press('Enter');
  await expect.poll(() => new URL(page.url()).search).toContain('sort=size');
  await expect.poll(async () => (await files()).at(-1)).toBe('noise.png');
  await page.getByLabel('Sort buckets by').selectOption('By size, largest first');
  await expect
    .poll(() => page.getByRole('navigation', { name: 'Buckets' }).getByRole('link').first().textContent())
    .toContain('files');
  await expectSound(page, 'sorted files');
  expect(complaints.list).toEqual([]);
  await close();
});

test.each(looks)(
  'every state is accessible at $width px, $colorScheme first',
  { ...pageStates, timeout: 120_000 },
  async ({ colorScheme, ...viewport }) => {
    const { page, complaints, go, close } = await signedIn(browser, backend, { viewport, colorScheme });
    await go('/storage');
    await page.getByRole('link', { name: 'avatars' }).waitFor();
    await expectSound(page, 'buckets');
    await go('/storage?bucket=avatars');
    await page.getByText('No files yet').waitFor();
    await expectSound(page, 'an empty bucket');
    await go('/storage?bucket=files');
    await page.getByRole('link', { name: 'page.html' }).waitFor();
    await expectSound(page, 'files');
    await page.getByLabel('Select page.html').press('Space');
    await page.getByRole('button', { name: 'Move or rename' }).press('Enter');
    await page.getByRole('dialog').waitFor();
    await expectSound(page, 'moving');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // This folder has so few rows that all of them are completely visible, because axe would measure only the visible
    // part of a checkbox at the edge of the list.
    const folder = `states-${viewport.width}/`;
    const path = `${folder}notes.txt`;
    const { body: link } = await owner.call('POST', '/storage/buckets/files/upload-link', { path });
    await backend.fetch(link.url, { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: path });
    await go(`/storage?bucket=files&folder=${folder}`);
    await page.getByLabel('Select notes.txt').press('Space');
    await choose(page, 'notes.txt', 'again');
    await page.getByRole('button', { name: 'Replace file' }).waitFor();
    await expectSound(page, 'a failed upload');
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/storage-${viewport.width}-${colorScheme}.png` });
    await go('/storage?bucket=files&file=page.html');
    await page.getByRole('dialog').getByText('<!doctype html>').waitFor();
    await expectSound(page, 'a file');
    expect(complaints.list).toEqual([]);
    await close();
  },
);
