import { generateKeyPairSync, sign } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseWalletMessage } from './message.ts';
import { decodeBase58, isSignedByEthereum, isSignedBySolana } from './signature.ts';

/** The examples are from the tests of GoTrue 2.196 (internal/api/web3_test.go, internal/utilities/siwe). */
const ethereum: readonly (readonly [message: string, signature: string])[] = [
  [
    'example.com wants you to sign in with your Ethereum account:\n0x196a28d05bA75C8dC35B0F6e71DD622D1aC82b7E\n\nSign in to Example App\n\nURI: https://example.com\nVersion: 1\nChain ID: 1\nNonce: 12345678\nIssued At: 2025-01-01T00:00:00.000Z',
    '0xee337880f195524c156b8cc5f425ffcedb9d94638a91fa41ba72e26d93f04c9d1c7bca7020071c34ef7527ed6389ee24b59de79deab4e9e8251e6ca1e195a56a1b',
  ],
  [
    'example.com wants you to sign in with your Ethereum account:\n0x196a28d05bA75C8dC35B0F6e71DD622D1aC82b7E\n\nURI: https://example.com\nVersion: 1\nChain ID: 1\nNonce: 12345678\nIssued At: 2025-01-01T00:00:00.000Z',
    '0x0851224c203d08ced345bc99e66ac531eafbbb54eff94f7297b54ec19a0db7e879c4d246d45e0e13c9c2801db1f71f283c373b8c10cc0a91fe6418220a0aa5391b',
  ],
  [
    'supabase.com wants you to sign in with your Ethereum account:\n0xa1E993d09257291470e86778399D79A0864F327E\n\nStatement\n\nURI: https://supabase.com\nVersion: 1\nIssued At: 2025-03-29T00:00:00.000Z\nExpiration Time: 2025-03-29T00:10:00Z\nNot Before: 2025-03-29T00:00:00Z',
    '0x37495c9ac73f7a3acb589820699db39e1ab290f6756e41e16c2ddeb8588669440c9df95027597d518e3afb7db6f692fb63c44f56d266b2c65ac78a5d317bf5ef1c',
  ],
  [
    'localhost:5173 wants you to sign in with your Ethereum account:\n0x57c039062a750c7fe197b20E12406dB4f7d8833B\n\nSign in on localhost\n\nURI: http://localhost:5173/\nVersion: 1\nIssued At: 2025-05-16T14:52:03.613Z\n',
    '0x0ca657558a144c88d768acb48e31f92bae195d3c7feb4496bd43ad6211ff904e733a0ccc29ed96da5b9f941b2a6b4363f7551d40d3fedb9b239819301c5c42731b',
  ],
  // From spruceid/siwe, test/verification_positive.json. In the last example, the values of the recovery byte start at
  // 0 instead of 27.
  [
    'login.xyz wants you to sign in with your Ethereum account:\n0x9D85ca56217D2bb651b00f15e694EB7E713637D4\n\nSign-In With Ethereum Example Statement\n\nURI: https://login.xyz\nVersion: 1\nChain ID: 1\nNonce: bTyXgcQxn2htgkjJn\nIssued At: 2022-01-27T17:09:38.578Z\nExpiration Time: 2100-01-07T14:31:43.952Z',
    '0xdc35c7f8ba2720df052e0092556456127f00f7707eaa8e3bbff7e56774e7f2e05a093cfc9e02964c33d86e8e066e221b7d153d27e5a2e97ccd5ca7d3f2ce06cb1b',
  ],
  [
    'www.tally.xyz wants you to sign in with your Ethereum account:\n0xc95EB884FE852e241D409234bfC7045CB9E31BD7\n\nSign in with Ethereum to Tally\n\nURI: https://tally.xyz\nVersion: 1\nChain ID: 1\nNonce: 15050747\nIssued At: 2022-06-30T14:08:51.382Z',
    '0x8c46b6eb8505939892d8e9b075f89f8277321b17b993151f37810cdda38cce6f4a85909d2b53e6a14629c74c0ac38bf4becde78ee5b2529812bf6cceaf7b2a2501',
  ],
];

/** A Ledger device signed the third and the fourth message. */
const solana: typeof ethereum = [
  [
    'supabase.com wants you to sign in with your Solana account:\n2EZEiBdw47VHT6SpZSW9VnuSvBe7DxuYHBTxj19gxvv8\n\nStatement\n\nURI: https://supabase.com/\nVersion: 1\nIssued At: 2025-03-29T00:00:00Z',
    'BQxBJ+g2xbMh0LqwYR4ULJ4l7jXFmz33urmp534MS0x7nrGRe2xYdFq41FiGrySX6RipzGqX4kS2vkQmi/+JCg==',
  ],
  [
    'localhost:5173 wants you to sign in with your Solana account:\n4UPcfLX6rHuunkDiCnrVdN2BxnaKUAT1m2KCrzaAAct6\n\nSign in on localhost\n\nURI: http://localhost:5173/\nVersion: 1\nIssued At: 2025-05-16T14:52:03.613Z',
    'RT2JCFpZQtPwGONApGZn1dZnxOBB3zJZHAQPr+cOaI+eQ4ecw/N6zJ6TNw8a+g8n6Xm/Ky1TVZRuWHSxMU1jDg==',
  ],
  [
    'supabase.com wants you to sign in with your Solana account:\nEqzxWVyBpLD34SV9w1FFpPPvbfrfAXdiDVg1cyHTR1Rv\n\nI confirm ownership of this wallet\n\nVersion: 1\nURI: https://supabase.com/\nIssued At: 2025-07-29T22:29:52.235Z',
    '9slc0BBJw16TzWYs4/op8na3vt9E0CKt0FL5pqhzTDxvqF/txpbdo+ULDCeSzrDE/uJWmpMQw+hF0rkDj4Q0Bw==',
  ],
  [
    'localhost:5173 wants you to sign in with your Solana account:\nEqzxWVyBpLD34SV9w1FFpPPvbfrfAXdiDVg1cyHTR1Rv\n\nI confirm ownership of this wallet\n\nVersion: 1\nURI: http://localhost:5173/\nIssued At: 2025-07-29T22:35:10.473Z',
    '28d9ntDE8iPkxPvzg7A+8/6QFSq8FoPIdV4O5Or6nMDRFrEip/UJKIlLlKXM/SKUeLZmnTcc+V7Y6qnQymUDDg==',
  ],
];

describe('Ethereum', () => {
  test.each(ethereum)('the signature of a published message is verified: %j', async (message, signature) => {
    const { address } = parseWalletMessage('ethereum', message);
    expect(await isSignedByEthereum(message, address, signature)).toBe(true);
    expect(await isSignedByEthereum(message, address.toLowerCase(), signature)).toBe(true);
    expect(await isSignedByEthereum(`${message} `, address, signature)).toBe(false);
    expect(await isSignedByEthereum(message, `0x${'1'.repeat(40)}`, signature)).toBe(false);
  });

  test('the other signature that anyone can derive from a valid one is rejected', async () => {
    const [message, signature] = ethereum[0] ?? ['', ''];
    const { address } = parseWalletMessage('ethereum', message);
    const bytes = Buffer.from(signature.slice(2), 'hex');
    const { r, s } = secp256k1.Signature.fromBytes(bytes.subarray(0, 64), 'compact');
    const twin = new secp256k1.Signature(r, secp256k1.Point.Fn.ORDER - s).toHex('compact');
    const v = (bytes[64] === 27 ? 28 : 27).toString(16);
    expect(await isSignedByEthereum(message, address, `0x${twin}${v}`)).toBe(false);
  });

  test.each([
    '',
    '0x',
    'a'.repeat(130),
    `0x${'z'.repeat(130)}`,
    `0x${'0'.repeat(130)}`,
    `0x${'f'.repeat(130)}`,
    '0xdeadbeef',
  ])('invalid signature: %j', async (signature) => {
    const [message] = ethereum[0] ?? [''];
    const { address } = parseWalletMessage('ethereum', message);
    expect(await isSignedByEthereum(message, address, signature)).toBe(false);
  });
});

describe('Solana', () => {
  test.each(solana)('the signature of a published message is verified: %j', (message, signature) => {
    const { address, domain } = parseWalletMessage('solana', message);
    const bytes = Buffer.from(signature, 'base64');
    expect(isSignedBySolana(message, address, bytes, domain)).toBe(true);
    expect(isSignedBySolana(`${message} `, address, bytes, domain)).toBe(false);
    expect(isSignedBySolana(message, '2EZEiBdw47VHT6SpZSW9VnuSvBe7DxuYHBTxj19gxvv9', bytes, domain)).toBe(
      false,
    );
  });

  test('S beyond the group order is rejected', () => {
    const [message, signature] = solana[0] ?? ['', ''];
    const { address, domain } = parseWalletMessage('solana', message);
    const bytes = Buffer.from(signature, 'base64');
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    let s = 0n;
    for (let i = 63; i >= 32; i--) s = s * 256n + BigInt(bytes[i] ?? 0);
    let twin = s + order;
    for (let i = 32; i < 64; i++) {
      bytes[i] = Number(twin % 256n);
      twin /= 256n;
    }
    expect(isSignedBySolana(message, address, bytes, domain)).toBe(false);
  });

  test('a wrong length and an invalid public key are rejected', () => {
    const [message] = solana[0] ?? [''];
    const { address, domain } = parseWalletMessage('solana', message);
    expect(isSignedBySolana(message, address, Buffer.alloc(64), domain)).toBe(false);
    expect(isSignedBySolana(message, address, Buffer.alloc(63), domain)).toBe(false);
    for (const other of ['0'.repeat(40), 'z'.repeat(44), '1'.repeat(32), 'l'.repeat(32)]) {
      expect(isSignedBySolana(message, other, Buffer.alloc(64), domain)).toBe(false);
    }
  });

  test('a signature with our own key is verified', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
    const text = 'any text';
    expect(isSignedBySolana(text, base58(raw), sign(null, Buffer.from(text), privateKey), 'x.com')).toBe(
      true,
    );
  });
});

/** Encodes bytes as base58 according to the definition. This function is the inverse of the tested function. */
function base58(bytes: Uint8Array): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; number > 0n; number /= 58n) text = (alphabet[Number(number % 58n)] ?? '') + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text;
}

test('base58 decodes only what it encodes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      expect(decodeBase58(base58(bytes))).toEqual(Buffer.from(bytes));
    }),
  );
  for (const text of ['0', 'O', 'I', 'l', 'a b', 'ä']) expect(decodeBase58(text)).toBeUndefined();
});
