/** Verifies that the owner of an address signed a message. A malformed signature counts as invalid. */
import { createHash, createPublicKey, verify } from 'node:crypto';

/**
 * Verifies the personal signature (EIP-191, version 0x45) of an Ethereum account. Recovers the signer's key from the
 * signature and compares the key's address with the account's address.
 *
 * @param signature 65 bytes (R, S and V) as hexadecimal with `0x`
 */
export async function isSignedByEthereum(text: string, address: string, signature: string): Promise<boolean> {
  const bytes = /^0x[0-9a-f]{130}$/i.test(signature) ? Buffer.from(signature.slice(2), 'hex') : undefined;
  if (!bytes) return false;
  const { secp256k1 } = await import('@noble/curves/secp256k1.js');
  const message = Buffer.from(text, 'utf8');
  const hash = keccak256(
    Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`), message]),
  );
  const v = bytes[64] ?? 0;
  try {
    const compact = secp256k1.Signature.fromBytes(bytes.subarray(0, 64), 'compact');
    // Rejects the second valid form of each signature, which has a higher value of S. Wallets create the form with the
    // lower value of S (EIP-2).
    if (compact.hasHighS()) return false;
    const key = compact
      .addRecoveryBit(v >= 27 ? v - 27 : v)
      .recoverPublicKey(hash)
      .toBytes(false);
    const owner = keccak256(key.subarray(1)).subarray(12).toString('hex');
    return `0x${owner}` === address.toLowerCase();
  } catch {
    return false;
  }
}

/** Computes Keccak-256 as it was defined before SHA-3 was standardized. */
function keccak256(bytes: Uint8Array): Buffer {
  return createHash('keccak-256').update(bytes).digest();
}

/**
 * Verifies the Ed25519 signature of a Solana account. The signature covers the text itself or, if a Ledger device
 * signed it, the text in an off-chain format (docs.anza.xyz/proposals/off-chain-message-signing).
 *
 * @param domain the message's domain, which is part of the off-chain format
 */
export function isSignedBySolana(
  text: string,
  address: string,
  signature: Uint8Array,
  domain: string,
): boolean {
  const key = decodeBase58(address);
  if (key?.length !== 32 || signature.length !== 64) return false;
  const message = Buffer.from(text, 'utf8');
  try {
    const publicKey = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') },
      format: 'jwk',
    });
    const isSigned = (signed: Uint8Array) => verify(null, signed, publicKey, signature);
    return isSigned(message) || isSigned(offChainMessage(message, domain, key));
  } catch {
    // `createPublicKey` throws if the 32 bytes aren't a point on the curve.
    return false;
  }
}

const asciiFormat = 0;

function offChainMessage(message: Buffer, domain: string, key: Uint8Array): Buffer {
  const application = Buffer.alloc(32);
  application.write(domain);
  const length = Buffer.alloc(2);
  length.writeUInt16LE(message.length);
  return Buffer.concat([
    Buffer.from('\xffsolana offchain', 'latin1'),
    Buffer.from([0]),
    application,
    Buffer.from([asciiFormat, 1]),
    key,
    length,
    message,
  ]);
}

const base58Alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * Decodes a Solana address, which is encoded as base58 with Bitcoin's alphabet and without a checksum. Returns undefined
 * if the text contains other characters. Decoding takes quadratic time, so this function is suitable only for short
 * texts.
 */
export function decodeBase58(text: string): Uint8Array | undefined {
  let number = 0n;
  for (const letter of text) {
    const digit = base58Alphabet.indexOf(letter);
    if (digit < 0) return undefined;
    number = number * 58n + BigInt(digit);
  }
  const hex = number === 0n ? '' : number.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  return Buffer.concat([Buffer.alloc(zeros), bytes]);
}
