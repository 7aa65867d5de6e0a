/**
 * Tests how pages show the brand that plinth.toml defines: the logo with the right media type, texts, links and
 * readable colors.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';

const dir = mkdtempSync(join(tmpdir(), 'plinth-brand-'));
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
let backend: Backend;

beforeAll(async () => {
  // The file's extension doesn't match its content, because only the content should determine the media type.
  writeFileSync(join(dir, 'logo.svg'), png);
  backend = await createTestBackend({
    config: {
      plinth: {
        branding: {
          name: 'Meadow & <b>Söhne</b>',
          color: '#ffee00',
          logo_path: join(dir, 'logo.svg'),
          terms_url: 'https://meadow.example/terms',
          privacy_url: '/privacy',
          welcome: { en: 'Hello </p><script>alert(1)</script> %PLINTH_FIELDS%' },
        },
      },
    },
  });
});

afterAll(async () => {
  await backend.stop();
  rmSync(dir, { recursive: true });
});

test("a local logo has the media type of its content and can't run scripts", async () => {
  const response = await fetch(`${backend.url}/account/logo`);
  expect(response.headers.get('content-type')).toBe('image/png');
  expect(response.headers.get('content-security-policy')).toContain('sandbox');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(Buffer.from(await response.arrayBuffer()).equals(png)).toBe(true);
});

test('names and texts are escaped in the HTML, and both schemes have readable colors', async () => {
  const html = await (await fetch(`${backend.url}/account/sign-in`)).text();
  expect(html).toContain('Meadow &#38; &#60;b&#62;Söhne');
  expect(html).not.toContain('<b>Söhne');
  expect(html).not.toContain('<script>alert');
  expect(html).toContain('&#37;PLINTH_FIELDS&#37;');
  expect(html).toContain('"termsUrl":"https://meadow.example/terms"');
  expect(html).toContain('"privacyUrl":"/privacy"');
  for (const scheme of ['light', 'dark'])
    expect(html).toContain(`:root[data-mantine-color-scheme="${scheme}"]{--plinth-primary:`);
  // Yellow links aren't readable on white. The unit tests (`branding.test.ts`) check the contrast of each color.
  expect(/scheme="light"\]\{[^}]*--plinth-link:(#[0-9a-f]{6})/.exec(html)?.[1]).not.toBe('#ffee00');
});

test('the server doesn’t start with a logo that isn’t an image, and the error explains why', async () => {
  writeFileSync(join(dir, 'page.png'), '<html><script>alert(1)</script></html>');
  await expect(
    createTestBackend({ config: { plinth: { branding: { logo_path: join(dir, 'page.png') } } } }),
  ).rejects.toThrow("isn't an SVG, PNG, JPEG, WebP or GIF file");
});
