/**
 * Software wallets with keys from node:crypto and @noble/curves, and the wallet interfaces that the stock client
 * expects.
 */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';

export interface TestWallet {
  readonly chain: 'ethereum' | 'solana';
  readonly address: string;
  /** The signature in the format of the token endpoint. */
  sign(message: string): string;
}

export function solanaWallet(): TestWallet {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  return {
    chain: 'solana',
    address: base58(raw),
    sign: (message) => sign(null, Buffer.from(message), privateKey).toString('base64url'),
  };
}

export function ethereumWallet(): TestWallet {
  const { secretKey } = secp256k1.keygen();
  const publicKey = secp256k1.getPublicKey(secretKey, false);
  return {
    chain: 'ethereum',
    // The address must be in lower case, because it is in lower case in the message that the stock client signs.
    address: `0x${keccak256(publicKey.subarray(1)).subarray(12).toString('hex')}`,
    sign(message) {
      const text = Buffer.from(message);
      const hash = keccak256(
        Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${text.length}`), text]),
      );
      const recovered = secp256k1.sign(hash, secretKey, { prehash: false, format: 'recovered' });
      const v = 27 + (recovered[0] ?? 0);
      return `0x${Buffer.from(recovered.subarray(1)).toString('hex')}${v.toString(16)}`;
    },
  };
}

/** The interface that `signInWithWeb3` expects from a Solana wallet. */
export function solanaProvider(wallet: TestWallet) {
  return {
    publicKey: { toBase58: () => wallet.address },
    signMessage: async (message: Uint8Array) =>
      Uint8Array.from(Buffer.from(wallet.sign(Buffer.from(message).toString()), 'base64url')),
  };
}

/** The interface that `signInWithWeb3` expects from an Ethereum wallet (EIP-1193). */
export function ethereumProvider(wallet: TestWallet) {
  return {
    address: wallet.address,
    on: () => {},
    removeListener: () => {},
    async request({ method, params = [] }: { method: string; params?: readonly unknown[] }) {
      if (method === 'eth_requestAccounts') return [wallet.address];
      if (method === 'eth_chainId') return '0xaa36a7';
      if (method !== 'personal_sign') throw new Error(`unexpected ${method}`);
      return wallet.sign(Buffer.from(String(params[0]).slice(2), 'hex').toString());
    },
  };
}

function keccak256(bytes: Uint8Array): Buffer {
  return createHash('keccak-256').update(bytes).digest();
}

function base58(bytes: Uint8Array): string {
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let text = '';
  for (; number > 0n; number /= 58n) text = (alphabet[Number(number % 58n)] ?? '') + text;
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(Math.max(0, zeros)) + text;
}
