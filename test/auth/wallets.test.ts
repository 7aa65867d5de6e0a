/** Tests sign-in with Solana and Ethereum wallets, the resulting accounts, and messages for other sites. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import { type AuthServer, startAuth } from './harness.ts';
import {
  ethereumProvider,
  ethereumWallet,
  solanaProvider,
  solanaWallet,
  type TestWallet,
} from './wallet-keys.ts';

const site = 'https://app.example';

let server: AuthServer;
beforeAll(async () => {
  server = await startAuth({
    site_url: site,
    additional_redirect_urls: ['http://localhost:5173/**'],
    web3: { solana: { enabled: true }, ethereum: { enabled: true } },
  });
});
afterAll(() => server.stop());

const wallets = [
  ['Solana', solanaWallet],
  ['Ethereum', ethereumWallet],
] as const;

interface Session {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly user: { readonly id: string; readonly [name: string]: unknown };
}

interface Refusal {
  readonly error?: string;
  readonly error_description?: string;
  readonly error_code?: string;
  readonly msg?: string;
}

/** Builds a message in the format that wallets sign. A field that is undefined is omitted. */
function messageOf(wallet: TestWallet, changes: Record<string, string | undefined> = {}): string {
  const name = wallet.chain === 'solana' ? 'Solana' : 'Ethereum';
  const { domain = 'app.example', address = wallet.address, ...fields } = changes;
  const body = {
    URI: `${site}/`,
    Version: '1',
    'Chain ID': wallet.chain === 'solana' ? 'solana:mainnet' : '1',
    Nonce: crypto.randomUUID().replaceAll('-', ''),
    'Issued At': new Date().toISOString(),
    ...fields,
  };
  const lines = Object.entries(body).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${value}`],
  );
  return [
    `${domain} wants you to sign in with your ${name} account:`,
    address,
    '',
    'Hello',
    '',
    ...lines,
  ].join('\n');
}

const send = (json: object) => server.request('/token?grant_type=web3', { json });

const signIn = (wallet: TestWallet, message = messageOf(wallet)) =>
  send({ chain: wallet.chain, message, signature: wallet.sign(message) });

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

test.each([
  ['solana', solanaWallet(), 'solana:devnet'],
  ['ethereum', ethereumWallet(), '11155111'],
] as const)(
  'the stock client signs in with %s and gets the same user the next time',
  async (chain, wallet, network) => {
    const client = server.client();
    const options = { url: 'http://localhost:5173/welcome' };
    const first = await (chain === 'solana'
      ? client.auth.signInWithWeb3({
          chain,
          wallet: solanaProvider(wallet) as never,
          statement: 'I accept the terms',
          options: { ...options, signInWithSolana: { chainId: network } },
        })
      : client.auth.signInWithWeb3({
          chain,
          wallet: ethereumProvider(wallet) as never,
          statement: 'I accept the terms',
          options,
        }));
    expect(first.error).toBeNull();
    const providerId = `web3:${chain}:${wallet.address}`;
    const data = {
      sub: providerId,
      custom_claims: {
        address: wallet.address,
        chain,
        network,
        domain: 'localhost:5173',
        statement: 'I accept the terms',
      },
      email_verified: false,
      phone_verified: false,
    };
    const user = first.data.user;
    expect(user).toMatchObject({
      email: '',
      phone: '',
      role: 'authenticated',
      app_metadata: { provider: 'web3', providers: ['web3'] },
      user_metadata: data,
      is_anonymous: false,
    });
    expect(user?.identities).toMatchObject([{ provider: 'web3', id: providerId, identity_data: data }]);
    const claims = claimsOf(first.data.session?.access_token ?? '');
    expect(claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'web3' }], email: '', phone: '' });

    const second = await signIn(wallet);
    expect(second.status).toBe(200);
    const again = await second.json<Session>();
    expect(again.user.id).toBe(user?.id);
    expect(again.user.user_metadata).toMatchObject({
      custom_claims: { domain: 'app.example', statement: 'Hello' },
    });
    const refreshed = await server.request('/token?grant_type=refresh_token', {
      json: { refresh_token: again.refresh_token },
    });
    expect(refreshed.status).toBe(200);
    const entries = await server.database.pool('postgres').query<{ traits: object }>(sql`
    select payload -> 'traits' as traits from auth.audit_log_entries
    where payload ->> 'actor_id' = ${user?.id ?? ''} and payload ->> 'action' = 'login' order by created_at desc`);
    expect(entries.map(({ traits }) => traits)).toContainEqual({
      provider: 'web3',
      chain,
      network: chain === 'solana' ? 'solana:mainnet' : '1',
      address: wallet.address,
      domain: 'app.example',
      uri: `${site}/`,
    });
  },
);

describe.each(wallets)('%s rejects', (name, newWallet) => {
  const wallet = newWallet();

  const expectInvalidGrant = async (response: Awaited<ReturnType<typeof send>>, description: string) => {
    expect(response.status).toBe(400);
    expect(await response.json<Refusal>()).toEqual({
      error: 'invalid_grant',
      error_description: description,
    });
  };

  test('a message that was already used', async () => {
    const message = messageOf(wallet);
    expect((await signIn(wallet, message)).status).toBe(200);
    await expectInvalidGrant(await signIn(wallet, message), `Signed ${name} message was used before`);
  });

  test('all but one of many concurrent uses of a message', async () => {
    const message = messageOf(wallet);
    const answers = await Promise.all(Array.from({ length: 6 }, () => signIn(wallet, message)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
  });

  test('a signature by another wallet, for another message or for another user’s address', async () => {
    const thief = newWallet();
    const message = messageOf(wallet);
    const wrong = 'Signature does not match address in message';
    await expectInvalidGrant(
      await send({ chain: wallet.chain, message, signature: thief.sign(message) }),
      wrong,
    );
    const other = messageOf(wallet);
    await expectInvalidGrant(
      await send({ chain: wallet.chain, message, signature: wallet.sign(other) }),
      wrong,
    );
    const claimed = messageOf(thief, { address: wallet.address });
    await expectInvalidGrant(await signIn(thief, claimed), wrong);
    // The rejected message isn't used up.
    expect((await signIn(wallet, message)).status).toBe(200);
  });

  test.each<[Record<string, string | undefined>, string]>([
    [
      { domain: 'evil.example', URI: 'https://evil.example/' },
      'is using URI which is not allowed on this server, message was signed for another app',
    ],
    [
      { domain: 'evil.example' },
      'is using a Domain that does not match the one in URI which is not allowed on this server',
    ],
    [
      { domain: 'evil.example', URI: 'http://localhost:5173/' },
      'is using a Domain that does not match the one in URI which is not allowed on this server',
    ],
    [{ URI: 'http://app.example/' }, 'is using URI which does not use HTTPS'],
    [{ 'Expiration Time': '2000-01-01T00:00:01Z', 'Issued At': '2000-01-01T00:00:00Z' }, 'is expired'],
    [{ 'Not Before': '2100-01-01T00:00:00Z' }, 'becomes valid in the future'],
  ])('a message with %j', async (changes, reason) => {
    await expectInvalidGrant(
      await signIn(wallet, messageOf(wallet, changes)),
      `Signed ${name} message ${reason}`,
    );
  });

  test('a message issued too long ago, or too far in the future', async () => {
    const at = (ms: number) => messageOf(wallet, { 'Issued At': new Date(Date.now() + ms).toISOString() });
    const old = `${name} message was issued too long ago`;
    await expectInvalidGrant(await signIn(wallet, at(-601_000)), old);
    const early = `${name} message was issued too far in the future`;
    await expectInvalidGrant(await signIn(wallet, at(610_000)), early);
    expect((await signIn(wallet, at(-590_000))).status).toBe(200);
  });

  test.each<[string, Record<string, string | undefined>, string]>([
    ['with an unknown chain', { 'Chain ID': 'solana:evilnet' }, 'Chain ID is not valid'],
    ['with another version', { Version: '2' }, 'Version value is not supported, expected 1 got "2"'],
    ['without a URI', { URI: undefined }, 'URI is not specified'],
    ['without a time', { 'Issued At': undefined }, 'Issued At is not specified'],
    [
      'with a second URI injected',
      { Nonce: `1\nURI: ${site}/other` },
      'encountered unparsable line at index 9',
    ],
    ['with a line injected', { Nonce: '1\n\nnot a field' }, 'encountered unparsable line at index 10'],
  ])('a message %s', async (_what, changes, reason) => {
    const response = await signIn(wallet, messageOf(wallet, changes));
    expect(response.status).toBe(400);
    const refusal = await response.json<Refusal>();
    expect(refusal).toMatchObject({ error_code: 'validation_failed' });
    expect(refusal.msg).toBe(`${name === 'Solana' ? 'siws' : 'siwe'}: ${reason}`);
  });

  test('a message signed for the other chain', async () => {
    const message = messageOf(wallet);
    const chain = wallet.chain === 'solana' ? 'ethereum' : 'solana';
    const other = chain === 'solana' ? solanaWallet() : ethereumWallet();
    const response = await send({ chain, message, signature: other.sign(message) });
    expect(response.status).toBe(400);
    expect((await response.json<Refusal>()).msg).toContain('message first line does not end in');
  });

  test('an invalid message or signature', async () => {
    const { chain } = wallet;
    const message = messageOf(wallet);
    const short = wallet.sign(message).slice(0, -2);
    for (const [json, msg] of [
      [{ chain, message: 'short', signature: '' }, 'message is too short'],
      [{ chain, message: 'x'.repeat(20 * 1024 + 1), signature: '' }, 'message must not exceed 20KB'],
      [
        { chain, message, signature: short },
        chain === 'solana'
          ? 'signature must be 64 bytes encoded as base64 with or without padding'
          : 'signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string',
      ],
    ] as const) {
      const response = await send(json);
      expect(response.status).toBe(400);
      expect(await response.json<Refusal>()).toMatchObject({ error_code: 'validation_failed', msg });
    }
    if (chain !== 'solana') return;
    const response = await send({ chain, message, signature: '!'.repeat(86) });
    expect(await response.json<Refusal>()).toMatchObject({
      msg: 'signature does not contain valid base64 characters',
    });
  });

  test('a banned user', async () => {
    const banned = newWallet();
    const { user } = await (await signIn(banned)).json<Session>();
    await server.database
      .pool('postgres')
      .query(sql`update auth.users set banned_until = now() + '1 day' where id = ${user.id}`);
    const response = await signIn(banned);
    expect(response.status).toBe(403);
    expect(await response.json<Refusal>()).toMatchObject({ error_code: 'user_banned' });
  });
});

test('an unknown chain is rejected', async () => {
  const response = await send({ chain: 'bitcoin' });
  expect(response.status).toBe(400);
  expect(await response.json<Refusal>()).toMatchObject({
    error_code: 'web3_unsupported_chain',
    msg: 'Unsupported chain',
  });
});

test('a project defines which chains it accepts and whether new users can sign up', async () => {
  const solanaOnly = await startAuth({
    site_url: site,
    enable_signup: false,
    web3: { solana: { enabled: true } },
  });
  const plain = await startAuth();
  try {
    const ethereum = await solanaOnly.request('/token?grant_type=web3', { json: { chain: 'ethereum' } });
    expect(ethereum.status).toBe(422);
    expect(await ethereum.json()).toMatchObject({
      error_code: 'web3_provider_disabled',
      msg: 'Ethereum Web3 provider is disabled',
    });
    const wallet = solanaWallet();
    const message = messageOf(wallet);
    const stranger = await solanaOnly.request('/token?grant_type=web3', {
      json: { chain: 'solana', message, signature: wallet.sign(message) },
    });
    expect(stranger.status).toBe(422);
    expect(await stranger.json()).toMatchObject({ error_code: 'signup_disabled' });
    const none = await plain.request('/token?grant_type=web3', { json: { chain: 'solana' } });
    expect(none.status).toBe(422);
    expect(await none.json()).toMatchObject({
      error_code: 'web3_provider_disabled',
      msg: 'Web3 provider is disabled',
    });
  } finally {
    await solanaOnly.stop();
    await plain.stop();
  }
});
