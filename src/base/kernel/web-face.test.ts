import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { createWebFace, sharedStyleFile, sharedStylePlaceholder } from './web-face.ts';

const script = 'console.log("hello");'.repeat(100);

/** Starts a web app with the npm package's files, in which scripts are only in compressed form. */
function startFace() {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-face-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  mkdirSync(join(dir, 'assets'));
  writeFileSync(join(dir, 'index.html.br'), brotliCompressSync('<title>Plinth</title>'));
  writeFileSync(join(dir, 'assets', 'app.js.br'), brotliCompressSync(script));
  writeFileSync(join(dir, 'assets', 'font.woff2'), 'font');
  const app = Fastify();
  const face = createWebFace(dir);
  app.get<{ Params: { name: string } }>('/:name', (request, reply) =>
    face.sendAsset(request, reply, request.params.name),
  );
  return { app, face };
}

test('a compressed asset is sent unchanged, or decompressed for clients that don’t accept the coding', async () => {
  const { app, face } = startFace();
  expect(face.html('index.html')).toBe('<title>Plinth</title>');
  const compressed = await app.inject({ url: '/app.js', headers: { 'accept-encoding': 'gzip, br' } });
  expect(compressed.headers['content-encoding']).toBe('br');
  expect(brotliDecompressSync(compressed.rawPayload).toString()).toBe(script);
  const plain = await app.inject({ url: '/app.js' });
  expect([plain.headers['content-encoding'], plain.body]).toEqual([undefined, script]);
  expect(plain.headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect((await app.inject({ url: '/font.woff2' })).body).toBe('font');
});

test('pages are read from files with several pages, and contain the style that they share', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-face-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const pages = {
    'one.html': `<style>${sharedStylePlaceholder}</style><p>One</p>`,
    'two.html': '<p>Two</p>',
  };
  writeFileSync(join(dir, 'index.html'), '');
  writeFileSync(join(dir, 'en.json.br'), brotliCompressSync(JSON.stringify(pages)));
  writeFileSync(join(dir, 'de.json'), JSON.stringify({ 'one.html': '<p>Eins</p>' }));
  // In a replacement, `$&` has a meaning.
  writeFileSync(join(dir, `${sharedStyleFile}.br`), brotliCompressSync('a::after { content: "$&"; }'));
  const face = createWebFace(dir);
  expect(face.page('en.json', 'two.html')).toBe('<p>Two</p>');
  expect(face.page('de.json', 'one.html')).toBe('<p>Eins</p>');
  expect(face.page('de.json', 'two.html')).toBeUndefined();
  expect(face.page('en.json', 'toString')).toBeUndefined();
  expect(face.page('fr.json', 'one.html')).toBeUndefined();
  const app = Fastify();
  app.get('/', (request, reply) =>
    face.sendPage(request, reply, { html: face.page('en.json', 'one.html') ?? '' }),
  );
  expect((await app.inject({ url: '/' })).body).toBe('<style>a::after { content: "$&"; }</style><p>One</p>');
});

test('other names are unknown', async () => {
  const { app } = startFace();
  for (const url of ['/app.js.br', '/app', '/..%2Findex.html', '/unknown.js'])
    expect((await app.inject({ url })).statusCode).toBe(404);
});
