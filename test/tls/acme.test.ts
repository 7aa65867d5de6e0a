/**
 * Tests how certificates are obtained from an ACME server one at a time, used, stored and renewed, and how failed
 * orders are retried.
 */
import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { createTls, type Tls } from '../../src/server/tls/index.ts';
import { type AcmeTestServer, fetchFrom, startAcmeServer } from '../support/acme-server.ts';
import { type CertificateAuthority, createAuthority } from '../support/certificate-authority.ts';
import { freePort } from '../support/free-port.ts';

let authority: CertificateAuthority;
let acme: AcmeTestServer;
let httpPort: number;
let dataDir: string;
const running: Tls[] = [];
const domains = ['api.example.com', 'console.example.com'];
const hour = 60 * 60_000;

beforeAll(async () => {
  authority = await createAuthority();
});
afterEach(async () => {
  for (const tls of running.splice(0)) tls.stop();
  await acme?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

async function startServer(
  lifetimeMs = hour,
  externalAccount?: { kid: string; hmacKey: Buffer },
): Promise<void> {
  httpPort = await freePort();
  acme = await startAcmeServer({ authority, httpPort, lifetimeMs, externalAccount });
  dataDir = mkdtempSync(join(tmpdir(), 'plinth-acme-'));
}

async function start({
  acceptTerms = true,
  firstMs = 20,
  externalAccount = undefined as { kid: string; hmacKey: string } | undefined,
} = {}): Promise<Tls> {
  const tls = createTls({
    source: {
      kind: 'acme',
      domains,
      server: { directory: acme.directory, email: 'ops@example.com', acceptTerms, externalAccount },
    },
    http: { host: '127.0.0.1', port: httpPort, originOf: () => 'https://api.example.com' },
    dataDir,
    log: silentLogger,
    now: () => Date.now(),
    backoff: { firstMs, maxMs: 200 },
  });
  running.push(tls);
  await tls.load();
  await tls.start();
  return tls;
}

const issuerOf = (tls: Tls): string => new X509Certificate(tls.certificates.fallback().cert).issuer;
const isComplete = (tls: Tls): boolean => tls.health().status === 'ok';

describe('the first start', () => {
  it('serves a self-signed certificate until the real ones are issued', async () => {
    await startServer();
    const tls = await start();
    expect(tls.health()).toEqual({
      status: 'degraded',
      message: 'api.example.com has no certificate yet, so a self-signed one is served.',
    });
    expect(issuerOf(tls)).toBe('CN=Plinth self-signed');
    await expect.poll(() => isComplete(tls)).toBe(true);
    expect(issuerOf(tls)).toBe('CN=Test authority');
    expect(acme.issued).toEqual(domains);
    expect(acme.orders.max).toBe(1);
    expect(acme.accounts).toEqual([['mailto:ops@example.com']]);
    expect(tls.status()).toMatchObject({ isFailing: false, certificates: [{ name: domains[0] }, {}] });
  });

  it('stores the keys so that only the owner can read them, and uses them after a restart', async () => {
    await startServer();
    const first = await start();
    await expect.poll(() => isComplete(first)).toBe(true);
    first.stop();
    const root = join(dataDir, 'tls', 'acme');
    const [folder = ''] = readdirSync(root);
    const files = readdirSync(join(root, folder)).sort();
    expect(files).toEqual(['account.key', 'api.example.com.pem', 'console.example.com.pem']);
    for (const name of files) expect(statSync(join(root, folder, name)).mode & 0o777).toBe(0o600);
    const pem = readFileSync(join(root, folder, 'api.example.com.pem'), 'utf8');
    expect(pem).toContain('PRIVATE KEY');

    const second = await start();
    expect(isComplete(second)).toBe(true);
    expect(pem).toContain(second.certificates.fallback().cert.slice(0, 200));
    expect(acme.issued).toHaveLength(2);
  });
});

describe('a server that requires an external account', () => {
  const external = { kid: 'key-1', hmacKey: randomBytes(32) };
  const given = (hmacKey: Buffer) => ({ kid: external.kid, hmacKey: hmacKey.toString('base64url') });

  it('issues certificates to an account that is bound to it', async () => {
    await startServer(hour, external);
    const tls = await start({ externalAccount: given(external.hmacKey) });
    await expect.poll(() => isComplete(tls)).toBe(true);
    expect(acme.issued).toEqual(domains);
    expect(acme.problems).toEqual([]);
  });

  it.each([
    ['without an external account', undefined, 'externalAccountRequired'],
    ['with a wrong key', given(randomBytes(32)), 'unauthorized'],
  ])('rejects an account %s', async (_name, externalAccount, problem) => {
    await startServer(hour, external);
    const tls = await start({ externalAccount, firstMs: 10_000 });
    await expect.poll(() => tls.status().isFailing).toBe(true);
    // Failed orders are retried after 10 seconds, so at most one order has been sent for each of the two certificates.
    expect([...new Set(acme.problems)]).toEqual([problem]);
    expect(acme.problems.length).toBeLessThanOrEqual(domains.length);
    expect(acme.issued).toEqual([]);
  });
});

describe('renewal', () => {
  it('replaces each certificate after two thirds of its lifetime', async () => {
    await startServer(4000);
    const tls = await start();
    await expect.poll(() => acme.issued.length).toBe(2);
    const before = tls.certificates.fallback().cert;
    await expect.poll(() => acme.issued.length).toBeGreaterThanOrEqual(4);
    await expect.poll(() => tls.certificates.fallback().cert).not.toBe(before);
    expect(acme.orders.max).toBe(1);
    // The account was registered only once.
    expect(acme.accounts).toHaveLength(1);
  });

  it('is retried after failures, and the old certificate stays in use', async () => {
    await startServer();
    acme.rejectOrders = 3;
    const tls = await start();
    await expect.poll(() => tls.status().isFailing).toBe(true);
    expect(tls.health().status).toBe('degraded');
    await expect.poll(() => isComplete(tls)).toBe(true);
    expect(tls.status().isFailing).toBe(false);
    expect(acme.problems.filter((type) => type === 'rateLimited')).toHaveLength(3);
  });

  it("doesn't order a certificate if the terms aren't accepted", async () => {
    await startServer();
    const tls = await start({ acceptTerms: false, firstMs: 10_000 });
    await expect.poll(() => tls.status().isFailing).toBe(true);
    expect(acme.problems).toContain('userActionRequired');
    expect(acme.issued).toEqual([]);
  });
});

describe('the port for HTTP', () => {
  it('redirects to HTTPS without trusting the host of the request', async () => {
    await startServer();
    await start();
    for (const host of ['api.example.com', 'evil.example'])
      expect(await fetchFrom(httpPort, host, '/auth/v1/user?x=1')).toMatchObject({
        status: 308,
        location: 'https://api.example.com/auth/v1/user?x=1',
      });
    expect(await fetchFrom(httpPort, 'a', 'http://evil.example/x', 'POST')).toMatchObject({
      status: 308,
      location: 'https://api.example.com/x',
    });
    expect(await fetchFrom(httpPort, 'a', '//evil.example')).toMatchObject({
      location: 'https://api.example.com//evil.example',
    });
  });

  it('also redirects requests for unknown challenges', async () => {
    await startServer();
    const tls = await start();
    await expect.poll(() => isComplete(tls)).toBe(true);
    const response = await fetchFrom(httpPort, 'api.example.com', '/.well-known/acme-challenge/x');
    expect(response.status).toBe(308);
  });
});
