/**
 * Tests what happens when other programs replace the certificate files: by renaming a file, by changing a symbolic
 * link, or with invalid files.
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { PemPair } from '../../src/base/kernel/tls.ts';
import { type CertificateTable, createCertificateTable } from '../../src/server/tls/certificate-table.ts';
import { createFilePairs, type FilePairs } from '../../src/server/tls/file-pairs.ts';
import { type CertificateAuthority, createAuthority } from '../support/certificate-authority.ts';

let authority: CertificateAuthority;
let first: PemPair;
let second: PemPair;
beforeAll(async () => {
  authority = await createAuthority();
  first = await authority.issue(['api.example.com']);
  second = await authority.issue(['api.example.com']);
});

let dir: string;
let table: CertificateTable;
let pairs: FilePairs;
let lines: string[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plinth-certs-'));
  lines = [];
});
afterEach(() => {
  pairs.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function watch(cert = join(dir, 'tls.crt'), key = join(dir, 'tls.key')): Promise<void> {
  const take = (_fields: object, message: string): void => void lines.push(message);
  const log = { debug: take, info: take, warn: take, error: take, child: () => log };
  table = createCertificateTable(['api']);
  pairs = createFilePairs({
    files: [{ slot: 'api', cert, key }],
    table,
    log,
    now: () => Date.now(),
    pollMs: 20,
  });
  await pairs.load();
  pairs.watch();
}

const write = (pair: Partial<PemPair>, folder = dir): void => {
  if (pair.cert !== undefined) writeFileSync(join(folder, 'tls.crt'), pair.cert);
  if (pair.key !== undefined) writeFileSync(join(folder, 'tls.key'), pair.key);
};
const inUse = (): string => table.fallback().cert;

it('files that are replaced by renaming are loaded', async () => {
  write(first);
  await watch();
  expect(inUse()).toBe(first.cert);
  for (const [name, text] of [
    ['tls.crt', second.cert],
    ['tls.key', second.key],
  ] as const) {
    writeFileSync(join(dir, 'new'), text);
    renameSync(join(dir, 'new'), join(dir, name));
  }
  await expect.poll(inUse).toBe(second.cert);
  expect(pairs.faults().size).toBe(0);
});

it('files that are replaced by changing a symbolic link to a folder, as in Kubernetes, are loaded', async () => {
  for (const [name, pair] of [
    ['one', first],
    ['two', second],
  ] as const) {
    mkdirSync(join(dir, name));
    write(pair, join(dir, name));
  }
  symlinkSync('one', join(dir, '..data'));
  symlinkSync(join('..data', 'tls.crt'), join(dir, 'tls.crt'));
  symlinkSync(join('..data', 'tls.key'), join(dir, 'tls.key'));
  await watch();
  symlinkSync('two', join(dir, '..next'));
  renameSync(join(dir, '..next'), join(dir, '..data'));
  await expect.poll(inUse).toBe(second.cert);
});

it("a certificate isn't used until its key exists", async () => {
  write(first);
  await watch();
  write({ cert: second.cert });
  await expect
    .poll(() => pairs.faults().get('api'))
    .toBe("The private key doesn't belong to the certificate.");
  expect(inUse()).toBe(first.cert);
  write({ key: second.key });
  await expect.poll(inUse).toBe(second.cert);
  expect(pairs.faults().size).toBe(0);
});

it.each([
  ['damaged', async () => ({ cert: 'x' }), "The certificate isn't valid PEM"],
  [
    'expired',
    () => authority.issue(['api.example.com'], { from: Date.now() - 10_000, lifetimeMs: 5000 }),
    'The certificate has expired.',
  ],
  ['missing', async () => undefined, "A certificate file can't be read (ENOENT)."],
])('files that are %s don’t replace the previous certificate', async (_, make, fault) => {
  write(first);
  await watch();
  const broken = await make();
  if (broken === undefined) unlinkSync(join(dir, 'tls.key'));
  else write(broken);
  await expect.poll(() => pairs.faults().get('api')).toContain(fault);
  expect(inUse()).toBe(first.cert);
  const count = lines.length;
  await pairs.check();
  await pairs.check();
  // Each problem is logged once.
  expect(lines.length).toBe(count);
  write(first);
  await expect.poll(() => pairs.faults().size).toBe(0);
});

it('a reload uses the new files immediately', async () => {
  write(first);
  await watch();
  pairs.stop();
  write(second);
  await pairs.check(true);
  expect(inUse()).toBe(second.cert);
});

it('a start with invalid files lists them', async () => {
  write({ ...first, key: second.key });
  await expect(watch()).rejects.toThrow(
    `The certificate in ${dir}/tls.crt and ${dir}/tls.key can't be used. The private key doesn't belong`,
  );
});

it('a key with a passphrase is rejected with a clear error', async () => {
  const text = '-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----\n';
  write({ ...first, key: text });
  await expect(watch()).rejects.toThrow('The private key is encrypted with a passphrase.');
});
