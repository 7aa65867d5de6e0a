/**
 * Tests users' documents in a real Chromium with a session of the Account pages. The documents' scripts must not run,
 * the documents must not have Plinth's origin, and inert types must be displayed as usual.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeUser, password } from '../account/harness.ts';
import { launchChromium } from '../web/browser.ts';
import { storedBySql } from './documents.ts';
import { startWorld, type World } from './world.ts';

/** A script that sends the requests that an attacker would send. The first request shows that the script runs. */
const script = `
  fetch('/ran/' + self.origin);
  fetch('/account/api/session', { headers: { 'x-plinth-request': '1' } })
    .then((response) => response.json())
    .then(({ session }) => fetch('/ran/session/' + session.user.email));
  navigator.serviceWorker.register('/functions/v1/worker').then(() => fetch('/ran/worker'));
`;
const html = `<!doctype html><title>page</title><h1>Shown</h1><script>${script}</script>`;
const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>page</title></head><body><h1>Shown</h1><script><![CDATA[${script}]]></script></body></html>`;
const svg = `<svg xmlns="http://www.w3.org/2000/svg"><text y="20">Shown</text><script><![CDATA[${script}]]></script></svg>`;
const stylesheet = `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:template match="/">
  <html><body><h1>Shown</h1><script>${script.replaceAll('>', '&gt;')}</script></body></html></xsl:template></xsl:stylesheet>`;
const transformed = `<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="sheet.xsl"?><page/>`;

const served = (body: string, type: string) =>
  `Deno.serve(() => new Response(${JSON.stringify(body)}, { headers: { 'content-type': '${type}', 'service-worker-allowed': '/' } }));`;
const functions = {
  page: served(html, 'text/html'),
  worker: served('self.onfetch = () => undefined', 'text/javascript'),
};
const sql = `
  create domain "text/html" as text;
  create function public.page() returns "text/html" language sql immutable as
    $body$ select $html$${html}$html$::"text/html" $body$;
  insert into storage.buckets (id, name, public) values ('open', 'open', true);
`;
const config = { functions: { page: { verify_jwt: false }, worker: { verify_jwt: false } } };

let world: World;
let browser: Browser;
beforeAll(async () => {
  [world, browser] = await Promise.all([startWorld({ functions, sql, config }), launchChromium()]);
  await makeUser(world.backend, 'ada@example.com');
  ({ page, ran } = await visitor(world));
});
afterAll(async () => {
  await browser?.close();
  await world?.stop();
});

/** All tests use the same window, because Chromium needs more than a second of CPU time to open one. */
let page: Page;
/** The requests that scripts in documents have sent. */
let ran: string[];
afterEach(async () => {
  await page.goto('about:blank');
  ran.length = 0;
});

/** Creates a visitor who is signed in to the Account pages. */
async function visitor({ backend }: World): Promise<{ context: BrowserContext; page: Page; ran: string[] }> {
  const opened = await browser.newContext();
  const requests: string[] = [];
  opened.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/ran/')) requests.push(pathname);
  });
  const signedIn = await opened.request.post(`${backend.url}/account/api/sign-in`, {
    headers: { 'x-plinth-request': '1' },
    data: { email: 'ada@example.com', password },
  });
  expect(signedIn.status()).toBe(200);
  return { context: opened, page: await opened.newPage(), ran: requests };
}

async function put(key: string, type: string, body: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const { status } = await world.call(`/storage/v1/object/open/${key}`, {
    method: 'POST',
    token: world.backend.keys.serviceRoleKey,
    headers: { 'content-type': type, 'x-upsert': 'true' },
    body,
  });
  expect(status).toBe(200);
  return `/storage/v1/object/public/open/${key}`;
}

describe("a user's script", () => {
  const documents: [string, () => Promise<string>][] = [
    ['a stored SVG', () => put('a.svg', 'image/svg+xml', svg)],
    ['stored HTML', () => put('a.html', 'text/html', html)],
    ['stored XHTML', () => put('a.xhtml', 'application/xhtml+xml', xhtml)],
    ['stored XML', () => put('a.xml', 'text/xml', xhtml)],
    ['a stored style sheet as a document', () => put('page.xsl', 'text/xsl', xhtml)],
    [
      'XML styled by a stored style sheet',
      async () => {
        await put('sheet.xsl', 'text/xsl', stylesheet);
        return put('transformed.xml', 'application/xml', transformed);
      },
    ],
    [
      'a row with two types',
      async () => {
        await storedBySql(world, 'two', 'image/png, text/xsl', xhtml);
        return '/storage/v1/object/public/open/two';
      },
    ],
    ['a server function’s page', async () => '/functions/v1/page'],
    ['a REST function’s page', async () => '/rest/v1/rpc/page'],
  ];

  it.each(documents)('doesn’t run in %s', async (_what, store) => {
    const path = await store();
    const downloaded = page.waitForEvent('download').then(
      () => true,
      () => false,
    );
    const shown = await page.goto(world.backend.url + path).catch(() => undefined);
    if (shown === undefined || shown === null) {
      expect(await downloaded).toBe(true);
      return;
    }
    expect(shown.status()).toBe(200);
    await page.waitForLoadState('networkidle');
    expect(ran).toEqual([]);
    // The content security policy doesn't apply to scripts from the debugger. In a document whose type allows scripts,
    // even scripts from the debugger have no access to Plinth.
    const type = shown.headers()['content-type'] ?? '';
    if (type.startsWith('text/plain')) return;
    expect(await page.evaluate('self.origin')).toBe('null');
    const session = `fetch('/account/api/session', { credentials: 'include', headers: { 'x-plinth-request': '1' } })`;
    await expect(page.evaluate(session)).rejects.toThrow('Failed to fetch');
    await expect(page.evaluate(`fetch('/account/sign-in', { credentials: 'include' })`)).rejects.toThrow();
    await expect(page.evaluate(`navigator.serviceWorker.register('/functions/v1/worker')`)).rejects.toThrow();
    await expect(page.evaluate('document.cookie')).rejects.toThrow();
  });

  it('doesn’t prevent the page from being shown', async () => {
    for (const path of [
      '/functions/v1/page',
      '/rest/v1/rpc/page',
      await put('a.svg', 'image/svg+xml', svg),
    ]) {
      await page.goto(world.backend.url + path);
      await page.getByText('Shown').waitFor();
    }
    expect(ran).toEqual([]);
  });

  it('doesn’t run in a frame of another site', async () => {
    await otherSite(`<iframe src="${world.backend.url}/functions/v1/page"></iframe>`, async (address) => {
      await page.goto(address);
      await page.frameLocator('iframe').getByText('Shown').waitFor();
      expect(ran).toEqual([]);
    });
  });
});

describe('inert content', () => {
  it('is shown: images, sound, JSON, text', async () => {
    const png = await sharp({ create: { width: 3, height: 2, channels: 3, background: '#f00' } })
      .png()
      .toBuffer();
    await page.goto(world.backend.url + (await put('a.png', 'image/png', new Uint8Array(png))));
    await expect.poll(() => page.evaluate('document.images[0].naturalWidth')).toBe(3);

    await page.goto(world.backend.url + (await put('a.wav', 'audio/wav', silence())));
    await page.waitForFunction('document.querySelector("video, audio").readyState > 0');

    await page.goto(world.backend.url + (await put('a.json', 'application/json', '{"shown": true}')));
    await page.getByText('{"shown": true}').waitFor();

    await page.goto(world.backend.url + (await put('a.txt', 'text/plain;charset=UTF-8', 'Grüße <b>')));
    await page.getByText('Grüße <b>').waitFor();
  });

  it.each([
    ['a.csv', 'text/csv', 'a,b\n1,2\n'],
    ['a.zip', 'application/zip', 'PK'],
    ['a.bin', 'application/octet-stream', '\0'],
  ])('is saved: %s', async (key, type, body) => {
    const path = await put(key, type, body);
    const download = page.waitForEvent('download');
    await page.goto(world.backend.url + path).catch(() => undefined);
    expect((await download).suggestedFilename()).toBe(key);
  });

  it('is shown in the browser’s viewer: a PDF', async () => {
    await page.goto(world.backend.url + (await put('a.pdf', 'application/pdf', pdf)));
    await expect
      .poll(() => page.frames().filter((frame) => frame.url().startsWith('chrome-extension://')).length)
      .toBe(1);
  });

  it('is shown on other sites’ pages, including SVG', async () => {
    const picture = await put('b.svg', 'image/svg+xml', svg.replace('<svg', '<svg width="7" height="5"'));
    await otherSite(`<img src="${world.backend.url}${picture}">`, async (address) => {
      await page.goto(address);
      await page.waitForFunction('document.images[0].naturalWidth === 7');
      expect(ran).toEqual([]);
    });
  });
});

/** If an operator allows functions to serve pages, scripts can do everything that the other tests rule out. */
it('scripts run if the operator allows functions to serve pages', async () => {
  const open = await startWorld({
    functions,
    sql,
    config: { ...config, plinth: { edge_runtime: { html: 'page' } } },
  });
  try {
    await makeUser(open.backend, 'ada@example.com');
    const { context: theirs, page: own, ran: asked } = await visitor(open);
    await own.goto(`${open.backend.url}/functions/v1/page`);
    await expect
      .poll(() => asked.toSorted())
      .toEqual([`/ran/${open.backend.url}`, '/ran/session/ada@example.com', '/ran/worker'].toSorted());
    asked.length = 0;
    await own.goto(`${open.backend.url}/rest/v1/rpc/page`);
    await own.getByText('Shown').waitFor();
    expect(asked).toEqual([]);
    await theirs.close();
  } finally {
    await open.stop();
  }
});

/**
 * Serves a page of another site from this machine, because browsers block internet sites from accessing this machine.
 */
async function otherSite(body: string, use: (address: string) => Promise<void>): Promise<void> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use(`http://localhost:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Returns one tenth of a second of silence in WAVE format. */
function silence(): Uint8Array<ArrayBuffer> {
  const samples = Buffer.alloc(1600);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return new Uint8Array(Buffer.concat([head, samples]));
}

const pdf = `%PDF-1.1
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj
trailer<</Root 1 0 R>>
%%EOF`;
