import { createHmac, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { defaultConfig } from '../config/index.ts';
import { demo } from './default-keys.ts';
import { createKeys } from './index.ts';

const dir = mkdtempSync(join(tmpdir(), 'plinth-keys-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const config = defaultConfig();
const keys = createKeys({ mode: 'development', config, supabaseDir: dir, dataDir: dir });
const b64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const hs256 = (data: string, secret: string) => createHmac('sha256', secret).update(data).digest('base64url');

describe('development keys', () => {
  it('are the same as the well-known keys, byte for byte', () => {
    const [header, payload] = keys.anonKey.split('.');
    expect(Buffer.from(header ?? '', 'base64url').toString()).toBe('{"alg":"HS256","typ":"JWT"}');
    expect(Buffer.from(payload ?? '', 'base64url').toString()).toBe(
      '{"iss":"supabase-demo","role":"anon","exp":1983812996}',
    );
    expect(keys.anonKey.endsWith('YTn_I0')).toBe(true);
    expect(keys.serviceRoleKey.endsWith('N81IU')).toBe(true);
  });

  it('sign with the built-in ES256 key, of which only the public part is published', () => {
    const token = keys.sign({ sub: 'x' });
    expect(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())).toEqual({
      alg: 'ES256',
      kid: demo.signingKey.kid,
      typ: 'JWT',
    });
    expect(keys.verify(token)).toMatchObject({ ok: true, claims: { sub: 'x' }, claimsJson: '{"sub":"x"}' });
    const [published] = keys.publicJwks().keys;
    expect(published).toMatchObject({ kid: demo.signingKey.kid, key_ops: ['verify'] });
    expect(published).not.toHaveProperty('d');
    expect(keys.publicJwks().keys.some((key) => key.kty === 'oct')).toBe(false);
    expect(keys.internalJwks().keys.some((key) => key.kty === 'oct')).toBe(true);
  });
});

describe('a signing keys file', () => {
  it('signs the API keys with its first key and removes the secret from the JWKS', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(
      join(dir, 'signing_keys.json'),
      JSON.stringify([
        {
          ...privateKey.export({ format: 'jwk' }),
          kid: 'k1',
          alg: 'RS256',
          use: 'sig',
          key_ops: ['sign', 'verify'],
        },
      ]),
    );
    const own = createKeys({
      mode: 'development',
      config: { ...config, auth: { ...config.auth, signing_keys_path: './signing_keys.json' } },
      supabaseDir: dir,
      dataDir: dir,
    });
    expect(own.verify(own.anonKey)).toMatchObject({
      ok: true,
      header: { alg: 'RS256', kid: 'k1' },
      claims: { role: 'anon' },
    });
    expect(own.areLegacyKeysRotated).toBe(true);
    expect(own.internalJwks().keys).toHaveLength(1);
    expect(keys.verify(own.anonKey)).toMatchObject({ ok: false, reason: 'no-key' });
  });
});

describe('production keys', () => {
  it('are generated once, at random, in a file that only the owner can read', () => {
    const data = join(dir, 'production');
    const first = createKeys({ mode: 'production', config, supabaseDir: dir, dataDir: data });
    const second = createKeys({ mode: 'production', config, supabaseDir: dir, dataDir: data });
    expect(first.jwtSecret).not.toBe(demo.jwtSecret);
    expect(first.secretKey).not.toBe(demo.secretKey);
    expect(second.secretKey).toBe(first.secretKey);
    expect(second.verify(first.sign({ sub: 'y' }))).toMatchObject({ ok: true });
    expect(keys.verify(first.anonKey)).toMatchObject({ ok: false, reason: 'signature' });
    expect(statSync(join(data, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('aren’t overwritten if the file is damaged', () => {
    const data = mkdtempSync(join(dir, 'damaged-'));
    writeFileSync(join(data, 'secrets.json'), '{"version":1');
    expect(() => createKeys({ mode: 'production', config, supabaseDir: dir, dataDir: data })).toThrow(
      /damaged/,
    );
  });
});

describe('verify', () => {
  const attack = (header: object, payload: unknown, secret: string) => {
    const data = `${b64(header)}.${b64(payload)}`;
    return `${data}.${hs256(data, secret)}`;
  };

  it.each([
    ['no algorithm at all', `${b64({ alg: 'none' })}.${b64({ role: 'service_role' })}.x`, 'algorithm'],
    [
      'a public key as HMAC secret',
      attack({ alg: 'HS256', kid: demo.signingKey.kid }, { role: 'service_role' }, demo.signingKey.x),
      'signature',
    ],
    ['another secret', attack({ alg: 'HS256' }, { role: 'service_role' }, 'guess'), 'signature'],
    ['an unknown kid', attack({ alg: 'ES256', kid: 'nope' }, {}, 'x'), 'no-key'],
    ['a critical extension', attack({ alg: 'HS256', crit: ['b64'] }, {}, demo.jwtSecret), 'algorithm'],
    ['an algorithm named like an object member', attack({ alg: 'constructor' }, {}, 'x'), 'algorithm'],
    ['a payload that is a list', attack({ alg: 'HS256' }, [], demo.jwtSecret), 'malformed'],
    ['two parts', 'a.b', 'malformed'],
    ['nothing', '', 'malformed'],
  ])('refuses %s', (_name, token, reason) => {
    expect(keys.verify(token)).toMatchObject({ ok: false, reason });
  });

  it('text that isn’t a token and tokens with one changed character are rejected', () => {
    fc.assert(fc.property(fc.string(), (text) => keys.verify(text).ok === false));
    const token = keys.signWithSecret({ sub: 'a', role: 'authenticated' });
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.constantFrom('A', 'b', '7', '-', '.'), (index, character) => {
        // The last character of a 32-byte signature contains two unused bits, so four characters decode to the same
        // bytes.
        if (token[index] === character || index === token.length - 1) return true;
        return keys.verify(token.slice(0, index) + character + token.slice(index + 1)).ok === false;
      }),
    );
  });
});
