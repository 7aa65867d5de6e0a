/**
 * Parses messages that wallets have signed, as GoTrue 2.196 does. The formats are Sign-In with Ethereum (EIP-4361) and
 * its Solana counterpart. Fields may appear in any order, but only once. If a field could appear twice, a wallet could
 * display one occurrence while this parser reads the other occurrence.
 */
import { type AuthError, authError } from '../errors.ts';

export type Chain = 'ethereum' | 'solana';

export interface WalletMessage {
  readonly chain: Chain;
  /** The host of the page that requested the signature, with an optional port. */
  readonly domain: string;
  readonly address: string;
  /**
   * The statement that the wallet displays to the user. If the message has no statement, the value is null for Ethereum
   * and empty for Solana.
   */
  readonly statement: string | null;
  readonly uri: string;
  /** The chain ID. The value is empty if the message doesn't contain this field. */
  readonly chainId: string;
  readonly issuedAtMs: number;
  readonly expiresAtMs: number | undefined;
  readonly notBeforeMs: number | undefined;
}

interface Dialect {
  /** The prefix of this dialect's error messages. */
  readonly tag: string;
  readonly header: string;
  readonly address: RegExp;
  readonly badAddress: string;
  readonly noStatement: string | null;
  isChainId(text: string): boolean;
}

const dialects: Readonly<Record<Chain, Dialect>> = {
  ethereum: {
    tag: 'siwe',
    header: ' wants you to sign in with your Ethereum account:',
    address: /^0x[a-fA-F0-9]{40}$/,
    badAddress: 'wallet address is not a valid Ethereum address',
    noStatement: null,
    // Ethereum chain IDs are defined in EIP-155.
    isChainId: (text) => /^\+?\d{1,18}$/.test(text) && Number(text) > 0,
  },
  solana: {
    tag: 'siws',
    header: ' wants you to sign in with your Solana account:',
    address: /^[a-zA-Z0-9]{32,44}$/,
    badAddress: 'wallet address is not in base58 format',
    noStatement: '',
    isChainId: (text) => text === '' || /^solana:(main|dev|test|local)net$/.test(text),
  },
};

const domainFormat =
  /^(localhost|(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]{2,})(?::\d{1,5})?$/;

const fieldNames = new Set([
  'URI',
  'Version',
  'Chain ID',
  'Nonce',
  'Issued At',
  'Expiration Time',
  'Not Before',
  'Request ID',
]);

/** Parses a message that a wallet signed. @throws {AuthError} validation_failed */
export function parseWalletMessage(chain: Chain, text: string): WalletMessage {
  const dialect = dialects[chain];
  const refuse = (reason: string): AuthError => authError('validation_failed', `${dialect.tag}: ${reason}`);
  const lines = text.split('\n');
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = lines;
  if (lines.length < 6) throw refuse('message needs at least 6 lines');
  if (!first.endsWith(dialect.header)) {
    throw refuse(`message first line does not end in "${dialect.header}"`);
  }
  const domain = first.slice(0, -dialect.header.length).trim();
  if (!domainFormat.test(domain)) throw refuse('domain in first line of message is not valid');
  const address = second.trim();
  if (!dialect.address.test(address)) throw refuse(dialect.badAddress);
  if (third !== '') throw refuse('third line must be empty');
  const hasStatement = fourth !== '' && fifth === '';
  const fields = readFields(lines, hasStatement ? 5 : 3, refuse);

  const time = (name: string): number | undefined => {
    const value = fields.get(name);
    const ms = value === undefined ? undefined : parseTime(value);
    if (value !== undefined && ms === undefined) throw refuse(`${name} is not a valid ISO8601 timestamp`);
    // If a time is Go's zero time, the field counts as missing.
    return ms === goZeroMs ? undefined : ms;
  };
  const uri = fields.get('URI');
  if (uri !== undefined && !isRequestUri(uri)) throw refuse('URI is not valid');
  const chainId = fields.get('Chain ID');
  if (chainId !== undefined && !dialect.isChainId(chainId)) throw refuse('Chain ID is not valid');
  const issuedAtMs = time('Issued At');
  const expiresAtMs = time('Expiration Time');
  const notBeforeMs = time('Not Before');
  const version = fields.get('Version') ?? '';
  if (version !== '1') {
    throw refuse(`Version value is not supported, expected 1 got ${JSON.stringify(version)}`);
  }
  if (issuedAtMs === undefined) throw refuse('Issued At is not specified');
  if (uri === undefined) throw refuse('URI is not specified');
  if (expiresAtMs !== undefined && issuedAtMs > expiresAtMs) {
    throw refuse('Issued At is after Expiration Time');
  }
  if (expiresAtMs !== undefined && notBeforeMs !== undefined && notBeforeMs > expiresAtMs) {
    throw refuse('Not Before is after Expiration Time');
  }
  const statement = hasStatement ? fourth : dialect.noStatement;
  return {
    chain,
    domain,
    address,
    statement,
    uri,
    chainId: chainId ?? '',
    issuedAtMs,
    expiresAtMs,
    notBeforeMs,
  };
}

/** Reads field values by name. Ignores unknown fields. All entries of the resource list must be URIs. */
function readFields(
  lines: readonly string[],
  start: number,
  refuse: (reason: string) => AuthError,
): Map<string, string> {
  const fields = new Map<string, string>();
  let resources: number | undefined;
  for (let index = start; index < lines.length; index++) {
    const line = (lines[index] ?? '').trim();
    if (resources !== undefined && line.startsWith('- ')) {
      if (!isRequestUri(line.slice(2).trim()))
        throw refuse(`Resource at position ${resources} has invalid URI`);
      resources += 1;
      continue;
    }
    resources = line === 'Resources:' ? 0 : undefined;
    if (line === '' || resources !== undefined) continue;
    const [, name, value] = /^([^:]*):(.*)$/s.exec(line) ?? [];
    if (name === undefined || value === undefined || fields.has(name)) {
      throw refuse(`encountered unparsable line at index ${index}`);
    }
    if (fieldNames.has(name)) fields.set(name, value.trim());
  }
  return fields;
}

const goZeroMs = Date.parse('0001-01-01T00:00:00Z');

/** Parses an RFC 3339 time, whose fraction of a second can have any length, as Go's time.Parse does. */
function parseTime(text: string): number | undefined {
  const match =
    /^(\d{4}-\d{2}-(\d{2}))T((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(?:[.,](\d+))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/.exec(
      text,
    );
  if (!match) return undefined;
  const [, date, day, clock, fraction = '', zone] = match;
  // Checks whether the date exists, because `Date.parse` would convert a nonexistent day to a day in the next month.
  const midnight = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).getUTCDate() !== Number(day)) return undefined;
  return Date.parse(`${date}T${clock}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`);
}

/**
 * Whether the string is an absolute path, or an absolute URI with a slash after the scheme. Accepts the same strings as
 * Go's url.ParseRequestURI.
 */
function isRequestUri(text: string): boolean {
  if (!/^(?:[a-z][a-z0-9+.-]*:)?\/[^\s\p{Cc}]*$/iu.test(text)) return false;
  return !/^https?:/i.test(text) || URL.canParse(text);
}

export interface UriParts {
  /** The scheme in lowercase, or an empty string if the text is a path. */
  readonly scheme: string;
  /** The host, including the port if the URI contains one. */
  readonly host: string;
  readonly hostname: string;
}

/**
 * Splits a signed message's URI into its parts, without normalizing the URI, so that the server compares the signed
 * text itself and not a browser's interpretation of the text.
 *
 * @example splitUri('https://app.example:8443/x').host // 'app.example:8443'
 */
export function splitUri(uri: string): UriParts {
  const match = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?/i.exec(uri);
  const host = match?.[2]?.replace(/^.*@/s, '') ?? '';
  return { scheme: (match?.[1] ?? '').toLowerCase(), host, hostname: host.replace(/:\d*$/, '') };
}
