/**
 * Tests a production server with automatic certificates: addresses, redirects, cookies, WebSockets, health and metrics.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import { type Backend, createBackend } from '../../src/entry/main.ts';
import { type AcmeTestServer, fetchFrom, startAcmeServer } from '../support/acme-server.ts';
import { type CertificateAuthority, createAuthority } from '../support/certificate-authority.ts';
import { freePort } from '../support/free-port.ts';
import { certificateAt, fetchHttps } from '../support/https.ts';

let authority: CertificateAuthority;
let acme: AcmeTestServer;
let backend: Backend;
let dir: string;
let api: number;
let consolePort: number;
let http: number;
const apiName = 'api.example.com';
const consoleName = 'console.example.com';

beforeAll(async () => {
  authority = await createAuthority();
  [api, consolePort, http] = await Promise.all([freePort(), freePort(), freePort()]);
  acme = await startAcmeServer({ authority, httpPort: http, lifetimeMs: 60 * 60_000 });
  dir = mkdtempSync(join(tmpdir(), 'plinth-https-'));
  mkdirSync(join(dir, 'supabase'));
  writeFileSync(
    join(dir, 'supabase', 'config.toml'),
    `[api]\nport = ${api}\n[studio]\nport = ${consolePort}\n[auth]\nsite_url = "https://app.example.com"\n`,
  );
  writeFileSync(
    join(dir, 'supabase', 'plinth.toml'),
    `[console]\nurl = "https://${consoleName}:${consolePort}"\n[server.tls]\nhttp_port = ${http}\n` +
      `acme = { domains = ["${apiName}", "${consoleName}"], directory = "${acme.directory}", accept_terms = true }\n`,
  );
  backend = await createBackend({ projectDir: dir, mode: 'production', dbPort: 0, durable: false });
  await backend.start();
});
afterAll(async () => {
  await backend?.stop();
  await acme?.close();
  rmSync(dir, { recursive: true, force: true });
});

const ready = async () =>
  (await backend.fetch('/health/ready')).json() as Promise<{ checks: { tls: object } }>;

it('obtains a certificate per domain and presents it by server name, without a restart', async () => {
  await expect.poll(async () => (await ready()).checks.tls).toEqual({ status: 'ok' });
  for (const port of [api, consolePort])
    for (const name of [apiName, consoleName])
      expect((await certificateAt(port, name)).subjectaltname).toBe(`DNS:${name}`);
  // Clients without a server name receive the first domain's certificate.
  expect((await certificateAt(api)).subjectaltname).toBe(`DNS:${apiName}`);
});

it('serves the API to clients that verify the certificate', async () => {
  const { status, headers, body } = await fetchHttps(api, apiName, '/auth/v1/health', { ca: authority.root });
  expect([status, JSON.parse(body)]).toMatchObject([200, { name: 'GoTrue' }]);
  expect(headers['strict-transport-security']).toBe('max-age=31536000');
});

it('uses the domain in its URLs', async () => {
  expect(backend.status()).toMatchObject({
    API_URL: `https://${apiName}:${api}`,
    STUDIO_URL: `https://${consoleName}:${consolePort}`,
  });
  expect(await backend.consoleLink()).toContain(`https://${consoleName}:${consolePort}/console/sign-in#`);
  const redirect = await fetchHttps(api, apiName, '/account', { ca: authority.root });
  expect(redirect.headers.location ?? '').not.toMatch(/^http:/);
  const settings = await fetchHttps(api, apiName, '/auth/v1/.well-known/openid-configuration');
  expect(settings.body).toContain(`https://${apiName}:${api}/auth/v1`);
  expect(settings.body).not.toContain('http://');
});

it('redirects HTTP to the API and to the Console', async () => {
  expect(await fetchFrom(http, apiName, '/auth/v1/settings')).toMatchObject({
    status: 308,
    location: `https://${apiName}:${api}/auth/v1/settings`,
  });
  expect(await fetchFrom(http, consoleName, '/console/')).toMatchObject({
    status: 308,
    location: `https://${consoleName}:${consolePort}/console/`,
  });
});

it('signs an operator in with a secure cookie', async () => {
  const token = new URL(await backend.consoleLink()).hash.replace('#token=', '');
  const origin = `https://${consoleName}:${consolePort}`;
  const send = (from: string) =>
    new Promise<{ status: number; cookies: readonly string[] }>((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: consolePort,
          path: '/console/api/sign-in',
          method: 'POST',
          servername: consoleName,
          ca: authority.root,
          agent: false,
          headers: {
            host: `${consoleName}:${consolePort}`,
            origin: from,
            'content-type': 'application/json',
            'x-plinth-request': '1',
          },
        },
        (response) => {
          response.resume();
          resolve({ status: response.statusCode ?? 0, cookies: response.headers['set-cookie'] ?? [] });
        },
      );
      sent.on('error', reject).end(JSON.stringify({ token }));
    });
  expect((await send('https://evil.example')).status).toBe(403);
  expect((await send(origin.replace('https', 'http'))).status).toBe(403);
  const { status, cookies } = await send(origin);
  expect(status).toBeLessThan(300);
  expect(cookies.join()).toMatch(/^__Host-plinth-console=[^;]+; Path=\/; Secure; HttpOnly; SameSite=Strict/);
});

it('accepts WebSockets over TLS', async () => {
  const url = `wss://127.0.0.1:${api}/realtime/v1/websocket?apikey=${backend.keys.publishableKey}&vsn=1.0.0`;
  const socket = new WebSocket(url, {
    agent: new Agent({ ca: authority.root, servername: apiName }),
    headers: { host: `${apiName}:${api}` },
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const reply = new Promise((resolve) => socket.once('message', (data) => resolve(JSON.parse(String(data)))));
  socket.send(JSON.stringify({ topic: 'phoenix', event: 'heartbeat', payload: {}, ref: '1' }));
  expect(await reply).toMatchObject({ event: 'phx_reply', payload: { status: 'ok' } });
  socket.terminate();
});

it('reports when each certificate expires', async () => {
  const { body } = await fetchHttps(api, apiName, '/metrics', {
    headers: { authorization: `Bearer ${backend.keys.secretKey}` },
  });
  expect(body).toMatch(/^plinth_tls_failing 0$/m);
  for (const name of [apiName, consoleName]) {
    const line = new RegExp(
      `^plinth_tls_certificate_expiry_timestamp_seconds{certificate="${name}"} (\\S+)$`,
      'm',
    );
    const expiresAt = Number(line.exec(body)?.[1]) * 1000;
    expect(expiresAt - Date.now()).toBeGreaterThan(50 * 60_000);
  }
});
