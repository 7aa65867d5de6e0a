/** Parses a JSON Web Token (RFC 7519, compact serialization of RFC 7515) without verifying it. */
import { type Algorithm, findAlgorithm, type Key } from './algorithms.ts';
import type { Claims, TokenFault } from './types.ts';

export interface ParsedToken {
  readonly header: Readonly<Claims>;
  readonly claims: Readonly<Claims>;
  /** The original JSON text of the claims. */
  readonly claimsJson: string;
  /** The algorithm's JWS name. `Ed25519` (RFC 9864) is treated as EdDSA. */
  readonly alg: string;
  readonly algorithm: Algorithm;
  readonly kid: string | undefined;
  /** The signed text, which consists of the header and the claims as received. */
  readonly signed: string;
  readonly signature: Buffer;
}

/** Parses a token and checks its structure and its algorithm. The signature isn't verified. */
export function parseToken(token: string): ParsedToken | TokenFault {
  const parts = token.split('.');
  const [head, body, tail] = parts;
  if (parts.length !== 3 || !head || !body || tail === undefined) {
    return { reason: 'malformed', parts: parts.length };
  }
  const header = parseObject(head)?.value;
  const payload = parseObject(body);
  if (header === undefined || payload === undefined || !isBase64Url(tail)) {
    return { reason: 'malformed', parts: 3 };
  }
  const name = typeof header.alg === 'string' ? header.alg : undefined;
  const alg = name === 'Ed25519' ? 'EdDSA' : name;
  const algorithm = alg === undefined ? undefined : findAlgorithm(alg);
  // Rejects a token with `crit`, because this header lists extensions that the recipient must understand, and none are
  // supported (RFC 7515 section 4.1.11).
  if (alg === undefined || algorithm === undefined || header.crit !== undefined) {
    return { reason: 'algorithm', algorithm: name };
  }
  return {
    header,
    claims: payload.value,
    claimsJson: payload.text,
    alg,
    algorithm,
    kid: typeof header.kid === 'string' && header.kid !== '' ? header.kid : undefined,
    signed: `${head}.${body}`,
    signature: Buffer.from(tail, 'base64url'),
  };
}

export function isSignedBy(token: ParsedToken, keys: readonly Key[]): boolean {
  return keys.some((key) => token.algorithm.verify(key, token.signed, token.signature));
}

const base64Url = /^[A-Za-z0-9_-]+$/;
const isBase64Url = (text: string): boolean => base64Url.test(text);

function parseObject(part: string): { value: Claims; text: string } | undefined {
  if (!isBase64Url(part)) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(part, 'base64url'));
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return { value: value as Claims, text };
  } catch {
    return undefined;
  }
}
