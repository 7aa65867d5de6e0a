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

test('the style that pages share is inserted into each page', () => {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-face-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const page = (style: string) => `<style>${style}</style><p>Text</p>`;
  writeFileSync(join(dir, 'index.html.br'), brotliCompressSync(page(sharedStylePlaceholder)));
  writeFileSync(join(dir, 'other.html.br'), brotliCompressSync(page('b {}')));
  // In a replacement, `$&` has a meaning.
  writeFileSync(join(dir, `${sharedStyleFile}.br`), brotliCompressSync('a::after { content: "$&"; }'));
  const face = createWebFace(dir);
  expect(face.html('index.html')).toBe(page('a::after { content: "$&"; }'));
  expect(face.html('other.html')).toBe(page('b {}'));
});

test('other names are unknown', async () => {
  const { app } = startFace();
  for (const url of ['/app.js.br', '/app', '/..%2Findex.html', '/unknown.js'])
    expect((await app.inject({ url })).statusCode).toBe(404);
});
