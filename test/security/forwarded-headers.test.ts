/**
 * Tests that headers in which a proxy describes its client (`X-Forwarded-*`, `Forwarded`, `X-Real-IP`) aren't trusted
 * unless `[server] trusted_proxies` includes the proxy. Services must never receive untrusted headers.
 */
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { service, startGateway } from '../gateway/harness.ts';
import { startWorld, type World } from './world.ts';

const claims = {
  forwarded: 'for=203.0.113.9;host=evil.test;proto=https',
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-host': 'evil.test',
  'x-forwarded-port': '444',
  'x-forwarded-prefix': '/evil.test',
  'x-forwarded-proto': 'https',
  'x-forwarded-server': 'evil.test',
  'x-forwarded-ssl': 'on',
  'x-real-ip': '203.0.113.9',
};
const trace = /evil\.test|203\.0\.113\.9|https:|"444"/;

describe('every service', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({
      functions: {
        seen: `Deno.serve((request, info) => {
          const seen = JSON.stringify([request.url, Object.fromEntries(request.headers), info.remoteAddr]);
          if (request.headers.get('upgrade') !== 'websocket') return new Response(seen);
          const { socket, response } = Deno.upgradeWebSocket(request);
          socket.onopen = () => socket.send(seen);
          return response;
        });`,
      },
      sql: `create function public.seen() returns text language sql as $$
        select current_setting('request.headers', true) $$;
        insert into storage.buckets (id, name, public) values ('open', 'open', true);`,
    });
  });
  afterAll(() => world?.stop());

  it('functions: address, headers and caller', async () => {
    const { text } = await world.call('/functions/v1/seen', {
      token: world.backend.keys.anonKey,
      headers: claims,
    });
    expect(text).toContain(`http://127.0.0.1:${world.port}/seen`);
    expect(text).not.toMatch(trace);
  });

  it('functions: a WebSocket', async () => {
    const socket = new WebSocket(`${world.backend.url.replace('http', 'ws')}/functions/v1/seen`, {
      headers: { ...claims, authorization: `Bearer ${world.backend.keys.anonKey}` },
    });
    const text = await new Promise<string>((resolve, reject) => {
      socket.on('message', (data) => resolve(String(data)));
      socket.on('error', reject);
    });
    socket.close();
    expect(text).toContain(`http://127.0.0.1:${world.port}/seen`);
    expect(text).not.toMatch(trace);
  });

  it('rest: request.headers in SQL', async () => {
    const { text } = await world.call('/rest/v1/rpc/seen', {
      token: world.backend.keys.anonKey,
      json: {},
      headers: claims,
    });
    expect(text).toContain('user-agent');
    expect(text).not.toMatch(trace);
  });

  it('storage: the address of a resumable upload', async () => {
    const { status, headers } = await world.call('/storage/v1/upload/resumable', {
      method: 'POST',
      token: world.backend.keys.serviceRoleKey,
      headers: {
        ...claims,
        'tus-resumable': '1.0.0',
        'upload-length': '5',
        'upload-metadata': `bucketName ${btoa('open')},objectName ${btoa('a.txt')}`,
      },
    });
    expect(status).toBe(201);
    expect(headers.get('location')).toContain(`http://127.0.0.1:${world.port}/storage/v1/upload/resumable/`);
  });

  it('auth and the Account and Console pages: redirects, cookies and responses', async () => {
    for (const path of [
      '/auth/v1/verify?type=signup&token=x',
      '/auth/v1/.well-known/openid-configuration',
      '/auth/v1/settings',
      '/account/',
      '/account/sign-in',
      '/console/',
      '/',
    ]) {
      const plain = await world.call(path);
      const claimed = await world.call(path, { headers: claims });
      expect([path, claimed.status, claimed.headers.get('location')]).toEqual([
        path,
        plain.status,
        plain.headers.get('location'),
      ]);
      expect([path, claimed.text]).not.toEqual([path, expect.stringContaining('evil.test')]);
      expect([path, claimed.headers.get('set-cookie') ?? '']).not.toEqual([
        path,
        expect.stringContaining('Secure'),
      ]);
    }
  });
});

describe('the gateway', () => {
  const seen = service('seen', {
    prefix: '/seen',
    plugin: async (app) => {
      app.all('/*', async ({ headers, ip, host, protocol }) => ({ headers, ip, host, protocol }));
    },
    upgrade: ({ headers }, socket) => {
      const body = JSON.stringify({ headers });
      socket.end(`HTTP/1.1 400 No\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
    },
  });

  /** `fetch` can't send an upgrade request. */
  const upgrade = (port: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { ...claims, connection: 'upgrade', upgrade: 'websocket' };
      httpRequest({ port, path: '/seen/x', headers }, async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve(text);
      })
        .on('error', reject)
        .end();
    });

  it.each([[[]], [['192.0.2.1', '10.0.0.0/8', 'fc00::/7']]])(
    'passes no such header to any service, including future ones, unless its sender is one of %j',
    async (trustedProxies) => {
      const server = await startGateway([seen], { trustedProxies });
      try {
        const response = await (await server.fetch('/seen/x', { headers: claims })).text();
        expect(JSON.parse(response)).toMatchObject({ ip: '127.0.0.1', protocol: 'http' });
        expect(response).not.toMatch(trace);
        expect(await upgrade(server.port)).not.toMatch(trace);
        // The log contains a single hint about the ignored headers.
        const hints = server.lines.filter(({ message }) => message.includes('trusted_proxies'));
        expect(hints).toHaveLength(1);
      } finally {
        await server.gateway.close(1000);
      }
    },
  );

  it.each(['127.0.0.1', '127.0.0.0/8', 'loopback'])('trusts a proxy that is listed as %s', async (listed) => {
    const server = await startGateway([seen], { trustedProxies: [listed] });
    try {
      const response = await (await server.fetch('/seen/x', { headers: claims })).json();
      expect(response).toMatchObject({ ip: '203.0.113.9', host: 'evil.test', protocol: 'https' });
      expect(response).toMatchObject({ headers: claims });
      expect(await upgrade(server.port)).toContain('"x-forwarded-host":"evil.test"');
    } finally {
      await server.gateway.close(1000);
    }
  });

  it.each(['10.0.0.0/33', '10.0.0.0/8/8', 'proxy.internal', '10.0.0', ''])(
    'rejects "%s" in the list',
    async (listed) => {
      await expect(startGateway([seen], { trustedProxies: [listed] })).rejects.toThrow(/trusted_proxies/);
    },
  );
});
