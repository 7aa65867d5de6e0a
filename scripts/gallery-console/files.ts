/** Uploads pictures, documents and folders, so that the storage pages show thumbnails and several file types. */
import sharp from 'sharp';
import type { Backend } from '../../src/entry/main.ts';
import type { Operator } from '../../test/console/harness.ts';

/** Draws a picture with a color gradient. */
async function picture(hue: number, width: number, height: number): Promise<Uint8Array<ArrayBuffer>> {
  const pixels = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3;
      pixels[at] = (hue + (x * 120) / width) % 256;
      pixels[at + 1] = (90 + (y * 120) / height) % 256;
      pixels[at + 2] = (hue * 2 + ((x + y) * 60) / width) % 256;
    }
  const png = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
  return new Uint8Array(png);
}

type NewFile = readonly [bucket: string, path: string, type: string, body: Uint8Array<ArrayBuffer> | string];

async function newFiles(): Promise<readonly NewFile[]> {
  const names = ['greenhouse', 'seedlings', 'orchard-in-spring', 'market-stall', 'compost', 'tools'];
  const pictures = names.map(
    async (name, index): Promise<NewFile> => [
      'photos',
      `2026/${name}.png`,
      'image/png',
      await picture(index * 37, 640 + index * 60, 420),
    ],
  );
  return [
    ...(await Promise.all(pictures)),
    ['photos', '2025/harvest.png', 'image/png', await picture(200, 900, 500)],
    ['photos', 'cover.png', 'image/png', await picture(20, 1200, 630)],
    ['photos', 'logo.svg', 'image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'],
    [
      'photos',
      'readme.txt',
      'text/plain',
      'The photos may be used with the name of the greenhouse.\n'.repeat(9),
    ],
    ['invoices', '2026/03/invoice-1042.pdf', 'application/pdf', '%PDF-1.4'],
    ['invoices', 'export.json', 'application/json', JSON.stringify({ orders: [1, 2, 3], total: 99.5 })],
    ['invoices', 'a-rather-long-file-name-of-a-report-for-the-tax-office-2026.csv', 'text/csv', 'a,b\n1,2\n'],
  ];
}

export async function addFiles(owner: Operator, backend: Backend): Promise<void> {
  for (const [bucket, path, type, body] of await newFiles()) {
    const { body: link } = await owner.call('POST', `/storage/buckets/${bucket}/upload-link`, { path });
    await backend.fetch(link.url, { method: 'PUT', headers: { 'content-type': type }, body });
  }
}
