/** Simulates wallet extensions by adding scripts to the pages. The keys never leave the test. */
import type { BrowserContext } from 'playwright-core';
import type { TestWallet } from '../auth/wallet-keys.ts';

/**
 * Adds a wallet to all pages that the context opens after this call.
 * @param change Returns the message that the wallet signs instead of the requested message.
 * @returns The messages in the signing requests that the wallet has received, one per request.
 */
export async function installWallet(
  context: BrowserContext,
  wallet: TestWallet,
  script: string,
  change = (message: string) => message,
): Promise<readonly string[]> {
  const seen: string[] = [];
  await context.exposeFunction(`sign_${wallet.chain}`, (message: string) => {
    seen.push(message);
    return wallet.sign(change(message));
  });
  await context.exposeFunction(`address_${wallet.chain}`, () => wallet.address);
  await context.addInitScript(script);
  return seen;
}

/** Formats an address as the pages show it. */
export const shortAddress = ({ address }: TestWallet): string =>
  `${address.slice(0, 6)}…${address.slice(-4)}`;

const bytesOf = `(text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))`;

/** An EIP-1193 wallet. Like real wallets, this wallet returns its address in mixed case. */
export const ethereumProvider = `({
  async request({ method, params = [] }) {
    if (method === 'eth_requestAccounts') return [await address_ethereum()];
    if (method === 'eth_chainId') return '0xaa36a7';
    if (method !== 'personal_sign') throw new Error('unexpected ' + method);
    const bytes = params[0].slice(2).match(/../g).map((pair) => parseInt(pair, 16));
    return sign_ethereum(new TextDecoder().decode(Uint8Array.from(bytes)));
  },
})`;

const icon = `data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'><rect width='8' height='8' fill='teal'/></svg>`;

/** A wallet that announces itself (EIP-6963). */
export const announcing = `
  const detail = Object.freeze({
    info: { uuid: 'f6e1c9a2-2c55-4d1c-9b0a-6d5c3c6b2a10', name: 'Test Fox', icon: ${JSON.stringify(icon)}, rdns: 'example.fox' },
    provider: ${ethereumProvider},
  });
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }));
  addEventListener('eip6963:requestProvider', announce);
  announce();`;

/** A wallet that follows the Wallet Standard. */
export const standard = `
  const account = async () => ({ address: await address_solana(), chains: ['solana:mainnet'], features: [] });
  const wallet = {
    version: '1.0.0', name: 'Test Ghost', icon: ${JSON.stringify(icon)}, chains: ['solana:mainnet'], accounts: [],
    features: {
      'standard:connect': { version: '1.0.0', connect: async () => ({ accounts: [await account()] }) },
      'solana:signMessage': {
        version: '1.0.0',
        signMessage: async ({ message }) => {
          const signature = (${bytesOf})(await sign_solana(new TextDecoder().decode(message)));
          return [{ signedMessage: message, signature }];
        },
      },
    },
  };
  const register = (api) => api.register(wallet);
  dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
  addEventListener('wallet-standard:app-ready', (event) => register(event.detail));`;

export const legacySolana = `
  window.solana = {
    connect: async () => { const text = await address_solana(); return { publicKey: { toString: () => text } }; },
    signMessage: async (message) => ({
      signature: (${bytesOf})(await sign_solana(new TextDecoder().decode(message))),
    }),
  };`;
