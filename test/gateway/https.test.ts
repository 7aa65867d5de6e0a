/** Tests HTTPS: protocol versions, certificates by server name, limits, and changes while the port is open. */
import { connect as connectTcp } from 'node:net';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CertificateTable, createCertificateTable } from '../../src/server/tls/certificate-table.ts';
import { readKeyPair } from '../../src/server/tls/core/key-pair.ts';
import { type CertificateAuthority, createAuthority } from '../support/certificate-authority.ts';
import { certificateAt, fetchHttps, handshake } from '../support/https.ts';
import { type GatewayServer, service, startGateway } from './harness.ts';

let authority: CertificateAuthority;
let table: CertificateTable;
let server: GatewayServer;
const echo = service('echo', {
  prefix: '/echo/v1',
  plugin: async (app) => {
    app.get('/', async ({ protocol }) => ({ protocol }));
    app.post('/', async () => 'read');
  },
});

beforeAll(async () => {
  authority = await createAuthority();
  table = createCertificateTable(['one', 'two']);
  table.set('one', readKeyPair(await authority.issue(['one.example.com'])));
  table.set('two', readKeyPair(await authority.issue(['*.two.example.com'])));
  server = await startGateway([echo], {
    tls: { certificates: table, strictTransport: 'max-age=60' },
    limits: { headerTimeoutMs: 400, bodyWindowMs: 400, minBytesPerSecond: 1000 },
  });
});
afterAll(() => server.gateway.close(100));

it('the certificate is selected by server name', async () => {
  expect((await certificateAt(server.port, 'a.two.example.com')).subjectaltname).toBe(
    'DNS:*.two.example.com',
  );
  for (const name of ['one.example.com', 'unknown.example', undefined])
    expect((await certificateAt(server.port, name)).subjectaltname).toBe('DNS:one.example.com');
});

it('TLS 1.2 and newer versions are accepted', async () => {
  const version = (maxVersion: string) =>
    handshake(server.port, { maxVersion, minVersion: 'TLSv1', ciphers: 'DEFAULT:@SECLEVEL=0' }, (socket) =>
      socket.getProtocol(),
    );
  expect(await version('TLSv1.3')).toBe('TLSv1.3');
  expect(await version('TLSv1.2')).toBe('TLSv1.2');
  await expect(version('TLSv1.1')).rejects.toThrow(/alert|version|protocol/i);
});

it('services receive the scheme, and responses have Strict-Transport-Security', async () => {
  const { body, headers } = await fetchHttps(server.port, 'one.example.com', '/echo/v1/');
  expect(JSON.parse(body)).toEqual({ protocol: 'https' });
  expect(headers['strict-transport-security']).toBe('max-age=60');
});

it('a new certificate is used, even without a server name, and open connections are kept', async () => {
  const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  const pair = readKeyPair(await authority.issue(['one.example.com', 'new.example.com']));
  table.set('one', pair);
  for (const name of ['one.example.com', undefined])
    expect((await certificateAt(server.port, name)).subjectaltname).toContain('new.example.com');
  socket.write('GET /echo/v1/ HTTP/1.1\r\nhost: one.example.com\r\nconnection: close\r\n\r\n');
  let text = '';
  for await (const chunk of socket) text += chunk;
  expect(text).toMatch(/^HTTP\/1\.1 200/);
});

const closed = (open: () => ReturnType<typeof connectTcp>): Promise<string> =>
  new Promise((resolve) => {
    const socket = open();
    let text = '';
    socket.on('data', (data) => {
      text += data.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });

it('clients that never complete the handshake are disconnected', async () => {
  expect(await closed(() => connectTcp(server.port, '127.0.0.1'))).toBe('');
});

it('clients that send unencrypted HTTP are disconnected', async () => {
  const text = await closed(() => {
    const socket = connectTcp(server.port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    return socket;
  });
  expect(text).not.toContain('HTTP/1.1 2');
});

it('clients whose body arrives too slowly are disconnected', async () => {
  const text = await closed(() => {
    const socket = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
    socket.write(
      'POST /echo/v1/ HTTP/1.1\r\nhost: x\r\ncontent-type: text/plain\r\ncontent-length: 9999\r\n\r\nx',
    );
    return socket;
  });
  expect(text).toMatch(/^HTTP\/1\.1 408/);
});
