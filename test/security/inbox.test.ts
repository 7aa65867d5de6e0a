/**
 * Tests that a website can't read or change the inbox of captured emails, which contains sign-in codes, when the
 * developer visits the website.
 */
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestBackend } from '../../src/entry/testing.ts';

type Backend = Awaited<ReturnType<typeof createTestBackend>>;

let backend: Backend;
let inbox: URL;
beforeAll(async () => {
  backend = await createTestBackend();
  inbox = new URL(backend.status().MAILPIT_URL ?? '');
});
afterAll(() => backend?.stop());

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly text: string;
}

/** Sends a request. The function doesn't use `fetch`, which would set a different Host header. */
function send(path: string, headers: Record<string, string>, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: inbox.hostname, port: inbox.port, path, method, headers: { host: inbox.host, ...headers } },
      (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

describe('the inbox', () => {
  it.each([
    ['another page, by fetch', { origin: 'https://evil.example' }],
    ['another page of this machine', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }],
    ['an image or a form of another page', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['a frame', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }],
    ['an attacker’s host name (DNS rebinding)', { host: 'evil.example' }],
    [
      'that host name, as its own page',
      { host: 'evil.example:54324', origin: 'http://evil.example:54324', 'sec-fetch-site': 'same-origin' },
    ],
  ])('rejects %s', async (_who, headers: Record<string, string>) => {
    for (const path of ['/', '/api/v1/messages', '/api/v1/info', '/view/x.html']) {
      const response = await send(path, headers);
      expect([path, response.status]).toEqual([path, 403]);
      expect(response.text).not.toContain('messages_count');
      expect(response.headers['access-control-allow-origin']).toBeUndefined();
    }
    expect((await send('/api/v1/messages', headers, 'DELETE')).status).toBe(403);
    expect((await send('/api/v1/messages', headers, 'OPTIONS')).status).toBe(403);
  });

  it('accepts requests from programs, its own pages and links', async () => {
    const own = { origin: inbox.origin, 'sec-fetch-site': 'same-origin' };
    for (const headers of [{}, { 'sec-fetch-site': 'none' }, own, { host: `localhost:${inbox.port}` }]) {
      const response = await send('/api/v1/messages', headers as Record<string, string>);
      expect(response.status).toBe(200);
      expect(response.headers['access-control-allow-origin']).toBeUndefined();
    }
    const followed = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    const page = await send('/', followed);
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect((await send('/api/v1/messages', followed)).status).toBe(403);
  });
});
