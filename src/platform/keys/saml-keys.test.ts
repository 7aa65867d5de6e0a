import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSamlKeys } from './saml-keys.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plinth-saml-'));
});
afterEach(() => rm(dir, { recursive: true }));

const settings = { enabled: true, private_key: undefined, private_key_next: undefined };
const pkcs1 = (bits: number, exponent = 65_537) =>
  generateKeyPairSync('rsa', { modulusLength: bits, publicExponent: exponent })
    .privateKey.export({ type: 'pkcs1', format: 'der' })
    .toString('base64');

test('concurrent requests generate one key, which only its owner can read', async () => {
  const file = join(dir, 'data', 'saml-key.pem');
  const both = await Promise.all([createSamlKeys(settings, file)(), createSamlKeys(settings, file)()]);
  const again = await createSamlKeys(settings, file)();
  const written = await readFile(file, 'utf8');
  for (const { current } of [...both, again]) {
    expect(current.export({ type: 'pkcs8', format: 'pem' })).toBe(written);
  }
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(join(dir, 'data'))).toEqual(['saml-key.pem']);
});

test('a damaged key is reported and not replaced', async () => {
  const file = join(dir, 'saml-key.pem');
  await writeFile(file, 'nonsense');
  await expect(createSamlKeys(settings, file)()).rejects.toThrow('is damaged');
  expect(await readFile(file, 'utf8')).toBe('nonsense');
});

test('configured keys in upstream’s format are used', async () => {
  const keys = await createSamlKeys(
    { enabled: true, private_key: pkcs1(2048), private_key_next: pkcs1(2048) },
    join(dir, 'none'),
  )();
  expect(keys.current.asymmetricKeyType).toBe('rsa');
  expect(keys.next?.equals(keys.current)).toBe(false);
  expect(await readdir(dir)).toEqual([]);
});

test('configured keys are also used if SAML is enabled after startup', async () => {
  const configured = { private_key: pkcs1(2048), private_key_next: undefined };
  const atStart = await createSamlKeys({ enabled: true, ...configured }, join(dir, 'none'))();
  const later = await createSamlKeys({ enabled: false, ...configured }, join(dir, 'none'))();
  expect(later.current.equals(atStart.current)).toBe(true);
  expect(await readdir(dir)).toEqual([]);
});

test.each([
  ['text', 'nonsense', 'PKCS#1'],
  ['too short', pkcs1(1024), '2048 bits'],
  ['a small exponent', pkcs1(2048, 3), '65537'],
])('%s is rejected at startup', (_name, private_key, message) => {
  expect(() => createSamlKeys({ ...settings, private_key }, '')).toThrow(message);
  expect(() => createSamlKeys({ ...settings, private_key_next: private_key }, '')).toThrow(message);
  expect(() => createSamlKeys({ ...settings, enabled: false, private_key }, '')).not.toThrow();
});

test('a replaced key file is read again, and a missing one is created as a change', async () => {
  const [file, other] = [join(dir, 'one.pem'), join(dir, 'two.pem')];
  let changes = 0;
  const keys = createSamlKeys(settings, file, (work) => {
    changes++;
    return work();
  });
  const pem = async (load: typeof keys) => (await load()).current.export({ type: 'pkcs8', format: 'pem' });
  const first = await pem(keys);
  expect([await pem(keys), changes]).toEqual([first, 1]);
  const replacement = await pem(createSamlKeys(settings, other));
  await rename(other, file);
  expect([await pem(keys), changes]).toEqual([replacement, 1]);
});
