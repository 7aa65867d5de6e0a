import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AuthError } from '../errors.ts';
import { type Chain, parseWalletMessage } from './message.ts';

const accounts = {
  ethereum: ['Ethereum', '0x742d35Cc6635C0532925a3b8D53d6e8b3f56ddF1', '1'],
  solana: ['Solana', '4Cw1koUQtqybLFem7uqhzMBznMPGARbFS4cjaYbM9RnR', 'solana:testnet'],
} as const;

const chains = ['ethereum', 'solana'] as const;

/** Returns a message in which these lines follow the address. */
function withBody(chain: Chain, ...lines: string[]): string {
  const [name, address] = accounts[chain];
  return [`domain.com wants you to sign in with your ${name} account:`, address, '', ...lines].join('\n');
}

const minimal = ['Version: 1', 'URI: https://domain.com', 'Issued At: 2025-01-01T00:00:00Z'];

describe.each(chains)('%s: refused', (chain) => {
  const tag = chain === 'ethereum' ? 'siwe' : 'siws';
  const [name] = accounts[chain];
  const badAddress =
    chain === 'ethereum'
      ? 'wallet address is not a valid Ethereum address'
      : 'wallet address is not in base58 format';

  test.each<[string, string]>([
    ['', 'message needs at least 6 lines'],
    ['\n\n\n\n', 'message needs at least 6 lines'],
    [
      'domain.com whatever\n\n\n\n\n\n',
      `message first line does not end in " wants you to sign in with your ${name} account:"`,
    ],
    [
      `*** wants you to sign in with your ${name} account:\n\n\n\n\n`,
      'domain in first line of message is not valid',
    ],
    [
      `https://domain.com wants you to sign in with your ${name} account:\n\n\n\n\n`,
      'domain in first line of message is not valid',
    ],
    [
      `a@domain.com wants you to sign in with your ${name} account:\n\n\n\n\n`,
      'domain in first line of message is not valid',
    ],
    [`domain.com wants you to sign in with your ${name} account:\n${'*'.repeat(40)}\n\n\n\n`, badAddress],
    [
      `domain.com wants you to sign in with your ${name} account:\n${accounts[chain][1]}\nURI: https://x.com\n\n\n`,
      'third line must be empty',
    ],
    [withBody(chain, 'Statement', '', 'Not parsable'), 'encountered unparsable line at index 5'],
    [withBody(chain, 'Two', 'statements', ...minimal), 'encountered unparsable line at index 3'],
    [withBody(chain, 'Statement', '', 'URI: ***', ...minimal.slice(0, 1)), 'URI is not valid'],
    [withBody(chain, ...minimal.slice(0, 1), 'URI: javascript:alert(1)', 'x: y'), 'URI is not valid'],
    [withBody(chain, ...minimal.slice(0, 1), 'URI: https://[', 'x: y'), 'URI is not valid'],
    [
      withBody(chain, ...minimal.slice(0, 2), 'Issued At: today'),
      'Issued At is not a valid ISO8601 timestamp',
    ],
    [
      withBody(chain, ...minimal.slice(0, 2), 'Issued At: 2025-02-30T00:00:00Z'),
      'Issued At is not a valid ISO8601 timestamp',
    ],
    [withBody(chain, ...minimal, 'Expiration Time: x'), 'Expiration Time is not a valid ISO8601 timestamp'],
    [withBody(chain, ...minimal, 'Not Before: x'), 'Not Before is not a valid ISO8601 timestamp'],
    [
      withBody(chain, 'Version: 2', ...minimal.slice(1)),
      'Version value is not supported, expected 1 got "2"',
    ],
    [withBody(chain, ...minimal.slice(1), ''), 'Version value is not supported, expected 1 got ""'],
    [withBody(chain, 'Version: 1', 'Issued At: 2025-01-01T00:00:00Z', ''), 'URI is not specified'],
    [withBody(chain, ...minimal.slice(0, 2), 'Resources:', '- https://x.com'), 'Issued At is not specified'],
    [
      withBody(chain, ...minimal.slice(0, 2), 'Issued At: 0001-01-01T00:00:00Z'),
      'Issued At is not specified',
    ],
    [
      withBody(chain, ...minimal, 'Expiration Time: 2024-12-31T00:00:00Z'),
      'Issued At is after Expiration Time',
    ],
    [
      withBody(
        chain,
        ...minimal,
        'Expiration Time: 2025-01-02T00:00:00Z',
        'Not Before: 2025-01-03T00:00:00Z',
      ),
      'Not Before is after Expiration Time',
    ],
    [
      withBody(chain, ...minimal, 'Resources:', '- https://google.com', '- ***'),
      'Resource at position 1 has invalid URI',
    ],
    [withBody(chain, ...minimal, 'Chain ID: random:mainnet'), 'Chain ID is not valid'],
  ])('%j', (message, reason) => {
    expect(() => parseWalletMessage(chain, message)).toThrow(
      new AuthError('validation_failed', { message: `${tag}: ${reason}` }),
    );
  });

  test.each(['URI: https://evil.example', 'Version: 1', 'Issued At: 2030-01-01T00:00:00Z', 'Nonce: 1'])(
    'a second line as %s',
    (line) => {
      const message = withBody(chain, 'Statement', '', ...minimal, 'Nonce: 12345678', line);
      expect(() => parseWalletMessage(chain, message)).toThrow('encountered unparsable line at index 9');
    },
  );

  test('the message for the other chain', () => {
    const other = chain === 'ethereum' ? 'solana' : 'ethereum';
    expect(() => parseWalletMessage(other, withBody(chain, ...minimal))).toThrow(
      'first line does not end in',
    );
  });
});

test.each([
  ['ethereum', '0'],
  ['ethereum', '-1'],
  ['ethereum', ''],
  ['ethereum', 'solana:mainnet'],
  ['solana', '1'],
  ['solana', 'solana:mainnet-beta'],
] as const)('%s has no chain %j', (chain, id) => {
  const message = withBody(chain, ...minimal, `Chain ID: ${id}`);
  expect(() => parseWalletMessage(chain, message)).toThrow('Chain ID is not valid');
});

test.each(chains)('%s: every field is read, in any order', (chain) => {
  const [, address, id] = accounts[chain];
  const message = withBody(
    chain,
    'I accept the terms: https://domain.com/tos',
    '',
    'Request ID: abc',
    'Issued At: 2025-01-01T02:00:00.123456+02:00',
    `Chain ID: ${id}`,
    'URI: https://domain.com/login',
    'Something: else',
    'Nonce: 12345678',
    'Not Before: 2025-01-01T00:00:01Z',
    'Expiration Time: 2025-01-01T00:00:02Z',
    'Version: 1',
    'Resources:',
    '- ipfs://Qme7ss3ARVgxv6rXqVPiikMJ8u2NLgmgszg13pYrDKEoiu',
    '- https://example.com/my-web2-claim.json',
  );
  expect(parseWalletMessage(chain, message)).toEqual({
    chain,
    domain: 'domain.com',
    address,
    statement: 'I accept the terms: https://domain.com/tos',
    uri: 'https://domain.com/login',
    chainId: id,
    issuedAtMs: Date.parse('2025-01-01T00:00:00.123Z'),
    notBeforeMs: Date.parse('2025-01-01T00:00:01Z'),
    expiresAtMs: Date.parse('2025-01-01T00:00:02Z'),
  });
});

test.each([
  ['ethereum', null],
  ['solana', ''],
] as const)('%s: no statement is %j', (chain, statement) => {
  for (const body of [minimal, ['', ...minimal]]) {
    expect(parseWalletMessage(chain, withBody(chain, ...body))).toMatchObject({ statement, chainId: '' });
  }
});

/** From spruceid/siwe, test/parsing_positive.json. */
test('the examples in EIP-4361 are parsed', () => {
  const message = (...lines: string[]) =>
    [
      'service.org wants you to sign in with your Ethereum account:',
      '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
      '',
      ...lines,
      '',
      'URI: https://service.org/login',
      'Version: 1',
      'Chain ID: 1',
      'Nonce: 32891757',
      'Issued At: 2021-09-30T16:25:24.000Z',
    ].join('\n');
  const terms = 'I accept the ServiceOrg Terms of Service: https://service.org/tos';
  expect(parseWalletMessage('ethereum', message(terms))).toMatchObject({
    domain: 'service.org',
    statement: terms,
    uri: 'https://service.org/login',
    chainId: '1',
  });
  expect(parseWalletMessage('ethereum', message())).toMatchObject({ statement: null });
});

test('any text is parsed as a message or rejected', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'domain.com wants you to sign in with your Ethereum account:',
      'domain.com wants you to sign in with your Solana account:',
      accounts.ethereum[1],
      accounts.solana[1],
      '',
      ...minimal,
      'Resources:',
      '- https://x.com',
      'Chain ID: 1',
    ),
  );
  fc.assert(
    fc.property(fc.constantFrom(...chains), fc.array(part, { maxLength: 12 }), (chain, lines) => {
      try {
        const message = parseWalletMessage(chain, lines.join('\n'));
        expect(Number.isFinite(message.issuedAtMs)).toBe(true);
      } catch (error) {
        expect(error).toBeInstanceOf(AuthError);
        expect(error).toMatchObject({ code: 'validation_failed', status: 400 });
      }
    }),
  );
});
