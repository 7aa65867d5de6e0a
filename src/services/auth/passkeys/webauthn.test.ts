import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readSession, requestSession } from './ceremony.ts';
import { verifyAssertion, verifyCreation } from './webauthn.ts';

const party = { id: 'app.example', name: 'App', origins: ['https://app.example'] };
const ceremony = readSession(
  requestSession({ party, kind: 'passkey', challenge: 'challenge', userId: undefined, allowed: [] }),
);
const clientDataJSON = Buffer.from(
  JSON.stringify({ type: 'webauthn.create', challenge: 'challenge', origin: 'https://app.example' }),
).toString('base64url');
const key = {
  id: Buffer.alloc(16),
  publicKey: Buffer.alloc(32),
  signCount: 0,
  backupEligible: false,
  transports: [],
};

const create = (attestationObject: Uint8Array) => {
  if (!ceremony) throw new Error('no ceremony');
  return verifyCreation(party, ceremony, {
    id: 'AAAA',
    clientDataJSON,
    attestationObject: Buffer.from(attestationObject).toString('base64url'),
    authenticatorData: '',
    publicKeyAlgorithm: -7,
    transports: [],
    attachment: '',
  });
};

const assert = (authenticatorData: Uint8Array, signature: Uint8Array) => {
  if (!ceremony) throw new Error('no ceremony');
  const response = {
    id: 'AAAA',
    clientDataJSON,
    authenticatorData: Buffer.from(authenticatorData).toString('base64url'),
    signature: Buffer.from(signature).toString('base64url'),
    userHandle: '',
  };
  return verifyAssertion(party, ceremony, response, key);
};

test('any bytes are checked, and none are accepted', async () => {
  const bytes = fc.uint8Array({ maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(bytes, bytes, async (first, second) => {
      expect(await create(first)).toMatchObject({ ok: false });
      expect(await assert(first, second)).toMatchObject({ ok: false });
    }),
  );
});

test('endlessly nested bytes are malformed', async () => {
  // A deeply nested list.
  expect(await create(Buffer.alloc(200_000, 0x81))).toMatchObject({ ok: false, fault: 'malformed' });
  expect(await create(Buffer.alloc(200_000, 0xa1))).toMatchObject({ ok: false, fault: 'malformed' });
  const extension = Buffer.concat([
    Buffer.alloc(32),
    Buffer.from([0x81]),
    Buffer.alloc(4),
    Buffer.alloc(200_000, 0x81),
  ]);
  expect(await assert(extension, Buffer.alloc(64))).toMatchObject({ ok: false, fault: 'malformed' });
});
