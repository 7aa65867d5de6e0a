/**
 * Runs an OpenID issuer for tests, with a discovery document, a key set, and tokens that a test can sign in any way.
 */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Issuer {
  /** The server's URL, which is also the issuer's name unless the test specifies a different name. */
  readonly url: string;
  /** The members of the discovery document, which tests can change. */
  readonly discovery: Record<string, unknown>;
  /** The requested paths. */
  readonly asked: string[];
  /** Returns a token with these claims in addition to `iss`, `iat` and an `exp` one hour from now. */
  token(claims: Record<string, unknown>, options?: TokenOptions): string;
  /** Replaces the signing key. The old key is no longer published. */
  rotate(): void;
  publicJwk(): Record<string, unknown>;
  stop(): Promise<void>;
}

export interface TokenOptions {
  readonly alg?: 'RS256' | 'HS256' | 'none';
  /**
   * The key ID in the token's header, if it differs from the signing key's ID. If null, the header doesn't contain a
   * key ID.
   */
  readonly kid?: string | null;
  readonly header?: Record<string, unknown>;
  readonly secret?: string | Buffer;
  readonly key?: KeyObject;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Starts an issuer. `name` is the issuer's name, if it differs from the server's URL. */
export async function startIssuer(name?: string): Promise<Issuer> {
  let generation = 0;
  let pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = () => `key-${generation}`;
  const publicJwk = () => ({
    ...pair.publicKey.export({ format: 'jwk' }),
    kid: kid(),
    use: 'sig',
    alg: 'RS256',
  });
  const asked: string[] = [];
  const discovery: Record<string, unknown> = {};
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const answer = path.endsWith('/openid-configuration')
      ? discovery
      : path === '/jwks'
        ? { keys: [publicJwk()] }
        : undefined;
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = name ?? url;
  const base = issuer.replace(/\/$/, '');
  Object.assign(discovery, {
    issuer,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    userinfo_endpoint: `${base}/userinfo`,
    jwks_uri: `${base}/jwks`,
    id_token_signing_alg_values_supported: ['RS256'],
  });
  return {
    url,
    discovery,
    asked,
    publicJwk,
    token(claims, { alg = 'RS256', kid: wantedKid, header = {}, secret = '', key = pair.privateKey } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const named = wantedKid === null ? {} : { kid: wantedKid ?? kid() };
      const head = encode({ alg, typ: 'JWT', ...named, ...header });
      const data = `${head}.${encode({ iss: issuer, iat: now, exp: now + 3600, ...claims })}`;
      const signature = {
        RS256: () => sign('sha256', Buffer.from(data), key),
        HS256: () => createHmac('sha256', secret).update(data).digest(),
        none: () => Buffer.alloc(0),
      }[alg]();
      return `${data}.${signature.toString('base64url')}`;
    },
    rotate() {
      generation += 1;
      pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
    },
    stop: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
}
