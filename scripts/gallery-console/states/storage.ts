/** States of the storage pages. */
import type { Page } from 'playwright-core';
import { inOrder, press, type State, see } from '../state.ts';

const photos = '/storage?bucket=photos&folder=2026/';

const select = async (page: Page): Promise<void> => {
  for (const name of ['compost.png', 'greenhouse.png']) await page.getByLabel(`Select ${name}`).check();
};

const upload =
  (...names: readonly string[]) =>
  (page: Page): Promise<void> =>
    page
      .locator('input[data-upload]')
      .setInputFiles(names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from('text') })));

const item =
  (name: string) =>
  (page: Page): Promise<void> =>
    page.getByRole('menuitem', { name, exact: true }).click();

export const storage: readonly State[] = [
  { name: 'storage', path: '/storage' },
  { name: 'storage-bucket', path: '/storage?bucket=photos', act: see('cover.png') },
  { name: 'storage-folder', path: photos, act: see('compost.png') },
  {
    name: 'storage-by-size',
    path: '/storage?bucket=photos&folder=2026/&sort=size&order=desc',
    act: see('compost.png'),
  },
  { name: 'storage-empty-folder', path: '/storage?bucket=invoices&folder=2027/' },
  { name: 'storage-no-match', path: '/storage?bucket=photos&search=nothing-matches-this' },
  { name: 'storage-selected', path: photos, act: select },
  { name: 'storage-move', path: photos, act: inOrder(select, press('Move')) },
  { name: 'storage-delete', path: photos, act: inOrder(select, press('Delete 2')) },
  { name: 'storage-picture', path: `${photos}&file=2026/greenhouse.png`, act: see('Content type') },
  { name: 'storage-json', path: '/storage?bucket=invoices&file=export.json', act: see('Content type') },
  {
    name: 'storage-pdf',
    path: '/storage?bucket=invoices&file=2026/03/invoice-1042.pdf',
    act: see('Content type'),
  },
  {
    name: 'storage-share',
    path: `${photos}&file=2026/greenhouse.png`,
    act: inOrder(press('Share link', 'Create link'), see('http')),
  },
  {
    name: 'storage-uploads',
    path: '/storage?bucket=photos',
    // The file exists, so its upload fails.
    act: inOrder(upload('readme.txt', 'notes.txt', 'a-rather-long-file-name-of-a-report.txt'), see('failed')),
  },
  { name: 'storage-new-bucket', path: '/storage', act: press('New bucket') },
  { name: 'storage-new-folder', path: photos, act: press('New folder') },
  { name: 'storage-bucket-menu', path: '/storage?bucket=photos', act: press('Bucket') },
  {
    name: 'storage-edit-bucket',
    path: '/storage?bucket=photos',
    act: inOrder(press('Bucket'), item('Edit bucket')),
  },
  {
    name: 'storage-empty-bucket',
    path: '/storage?bucket=photos',
    act: inOrder(press('Bucket'), item('Empty bucket')),
  },
  { name: 'storage-policies', path: '/policies?only=storage.objects' },
  { name: 'storage-read-only', path: photos, as: 'looker', act: see('compost.png') },
];
