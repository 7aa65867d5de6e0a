/**
 * Finds the wallets in the browser, and requests an address and a signature from a wallet. Wallets announce themselves
 * through events (EIP-6963, Wallet Standard). For wallets that don't announce themselves, the older `window` properties
 * are used. Nothing is loaded from other servers.
 */

export type Chain = 'ethereum' | 'solana';

export interface Wallet {
  readonly id: string;
  readonly chain: Chain;
  /** The name that the wallet announced. May be empty. */
  readonly name: string;
  /** A `data:` URL. May be empty. */
  readonly icon: string;
  /** Returns the sign-in message and its signature in the auth service's format. @throws {WalletRejected} */
  sign(page: PageAddress, nowMs: number): Promise<{ message: string; signature: string }>;
}

/**
 * The address of the page that requests the signature. Wallets compare this address with the address of the open page.
 */
export interface PageAddress {
  readonly host: string;
  readonly origin: string;
}

/** Thrown if the user declined or the wallet failed. Wallets don't reliably distinguish between these cases. */
export class WalletRejected extends Error {
  override readonly name = 'WalletRejected';
}

const titles: Readonly<Record<Chain, string>> = { ethereum: 'Ethereum', solana: 'Solana' };

/** Builds a message for Sign-In with Ethereum (EIP-4361), or a message with the same fields for Solana. */
export function walletMessage(fields: {
  readonly chain: Chain;
  readonly address: string;
  readonly chainId?: number;
  readonly page: PageAddress;
  readonly nonce: string;
  readonly nowMs: number;
}): string {
  const { chain, address, chainId, page, nonce, nowMs } = fields;
  return [
    `${page.host} wants you to sign in with your ${titles[chain]} account:`,
    address,
    '',
    // The message doesn't contain a statement, because wallets translate the other fields into the user's language but
    // can't translate a statement.
    ...(chain === 'ethereum' ? [''] : []),
    `URI: ${page.origin}/account/sign-in`,
    'Version: 1',
    ...(chainId === undefined ? [] : [`Chain ID: ${chainId}`]),
    `Nonce: ${nonce}`,
    `Issued At: ${new Date(nowMs).toISOString()}`,
  ].join('\n');
}

const nonceBytes = 16;

function newNonce(): string {
  return [...crypto.getRandomValues(new Uint8Array(nonceBytes))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}

/** An Ethereum provider (EIP-1193). */
interface EthereumProvider {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
}

/** The detail of an `eip6963:announceProvider` event. */
interface Announcement {
  readonly info: { readonly uuid: string; readonly name: string; readonly icon: string };
  readonly provider: EthereumProvider;
}

/** The parts of a Wallet Standard wallet that this module uses. */
interface StandardWallet {
  readonly name: string;
  readonly icon: string;
  readonly features: Readonly<Record<string, unknown>>;
}
interface StandardAccount {
  readonly address: string;
}
interface Connect {
  connect(): Promise<{ readonly accounts: readonly StandardAccount[] }>;
}
interface SignMessage {
  signMessage(input: {
    account: StandardAccount;
    message: Uint8Array;
  }): Promise<readonly { readonly signature: Uint8Array }[]>;
}

/** The object that Phantom and compatible wallets provide as `window.solana`. */
interface LegacySolana {
  connect(): Promise<{ readonly publicKey: { toString(): string } }>;
  signMessage(message: Uint8Array, display: 'utf8'): Promise<Uint8Array | { readonly signature: Uint8Array }>;
}

/**
 * Calls `found` with all available wallets each time a wallet announces itself. Returns a function that stops the
 * search.
 */
export function findWallets(
  chains: readonly Chain[],
  found: (wallets: readonly Wallet[]) => void,
): () => void {
  const announced = new Map<string, Wallet>();
  const tell = (): void => {
    const all = [...announced.values()];
    const old = oldWallets(chains.filter((chain) => !all.some((wallet) => wallet.chain === chain)));
    found([...all, ...old]);
  };
  const end = new AbortController();
  const { signal } = end;
  if (chains.includes('ethereum')) {
    const onAnnounce = (event: Event): void => {
      const { info, provider } = (event as CustomEvent<Announcement>).detail;
      announced.set(`ethereum ${info.uuid}`, ethereumWallet(info.uuid, info.name, info.icon, provider));
      tell();
    };
    window.addEventListener('eip6963:announceProvider', onAnnounce, { signal });
    window.dispatchEvent(new Event('eip6963:requestProvider'));
  }
  if (chains.includes('solana')) {
    const register = (...wallets: readonly StandardWallet[]): (() => void) => {
      for (const wallet of wallets) {
        const made = standardWallet(wallet);
        if (made !== undefined) announced.set(`solana ${wallet.name}`, made);
      }
      tell();
      return () => {};
    };
    const onRegister = (event: Event): void =>
      (event as CustomEvent<(api: { register: typeof register }) => void>).detail({ register });
    window.addEventListener('wallet-standard:register-wallet', onRegister, { signal });
    window.dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }));
  }
  tell();
  return () => end.abort();
}

function oldWallets(chains: readonly Chain[]): Wallet[] {
  const { ethereum, solana } = window as unknown as { ethereum?: EthereumProvider; solana?: LegacySolana };
  return [
    ...(ethereum !== undefined && chains.includes('ethereum')
      ? [ethereumWallet('window', '', '', ethereum)]
      : []),
    ...(solana !== undefined && chains.includes('solana') ? [legacySolanaWallet(solana)] : []),
  ];
}

function ethereumWallet(id: string, name: string, icon: string, provider: EthereumProvider): Wallet {
  return {
    id,
    chain: 'ethereum',
    name,
    icon: pictureOf(icon),
    sign: (page, nowMs) =>
      withErrors(async () => {
        const [account] = (await provider.request({ method: 'eth_requestAccounts' })) as string[];
        if (account === undefined) throw new WalletRejected();
        const chainId = Number(await provider.request({ method: 'eth_chainId' }));
        // Accounts are identified by the address in lowercase, because the stock client also signs lowercase addresses.
        const address = account.toLowerCase();
        const message = walletMessage({
          chain: 'ethereum',
          address,
          chainId,
          page,
          nonce: newNonce(),
          nowMs,
        });
        const params = [`0x${hex(new TextEncoder().encode(message))}`, address];
        const signature = (await provider.request({ method: 'personal_sign', params })) as string;
        return { message, signature };
      }),
  };
}

/** Adapts a Wallet Standard wallet. Returns undefined if the wallet can't sign messages or doesn't support Solana. */
function standardWallet({ name, icon, features }: StandardWallet): Wallet | undefined {
  const connect = features['standard:connect'] as Connect | undefined;
  const signer = features['solana:signMessage'] as SignMessage | undefined;
  if (connect === undefined || signer === undefined) return undefined;
  return {
    id: name,
    chain: 'solana',
    name,
    icon: pictureOf(icon),
    sign: (page, nowMs) =>
      withErrors(async () => {
        const [account] = (await connect.connect()).accounts;
        if (account === undefined) throw new WalletRejected();
        return signSolana(account.address, page, nowMs, async (message) => {
          const [signed] = await signer.signMessage({ account, message });
          if (signed === undefined) throw new WalletRejected();
          return signed.signature;
        });
      }),
  };
}

function legacySolanaWallet(provider: LegacySolana): Wallet {
  return {
    id: 'window',
    chain: 'solana',
    name: '',
    icon: '',
    sign: (page, nowMs) =>
      withErrors(async () => {
        const { publicKey } = await provider.connect();
        return signSolana(publicKey.toString(), page, nowMs, async (bytes) => {
          const signed = await provider.signMessage(bytes, 'utf8');
          return 'signature' in signed ? signed.signature : signed;
        });
      }),
  };
}

async function signSolana(
  address: string,
  page: PageAddress,
  nowMs: number,
  sign: (message: Uint8Array) => Promise<Uint8Array>,
): Promise<{ message: string; signature: string }> {
  const message = walletMessage({ chain: 'solana', address, page, nonce: newNonce(), nowMs });
  const signature = await sign(new TextEncoder().encode(message));
  return { message, signature: btoa(String.fromCharCode(...signature)) };
}

async function withErrors<Result>(request: () => Promise<Result>): Promise<Result> {
  try {
    return await request();
  } catch (cause) {
    throw new WalletRejected('The wallet did not sign.', { cause });
  }
}

/** Returns the wallet's icon if it is an image in a `data:` URL, and otherwise an empty string. */
const pictureOf = (icon: string): string => (icon.startsWith('data:image/') ? icon : '');
const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
