/**
 * The key store: API keys, the JWT secret and the signing keys of a project.
 *
 * Development uses the local stack's well-known values unless config.toml sets others; production generates its own
 * (`secrets-file.ts`). The first key of the list that may sign is the current one; all of them verify.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config/index.ts';
import { type Logger, silentLogger } from '../kernel/log.ts';
import { createOutgoing, type Outgoing } from '../kernel/outgoing.ts';
import { findAlgorithm, type Key } from './algorithms.ts';
import { demo } from './demo.ts';
import { type Jwk, type LoadedKey, loadJwk } from './jwk.ts';
import { createSamlKeys } from './saml-keys.ts';
import { loadOrCreateSecrets } from './secrets-file.ts';
import { createThirdParty, thirdPartyIssuer } from './third-party.ts';
import type { Claims, Keys } from './types.ts';
import { createVerifier } from './verifier.ts';

export { type KeySet, KeySetError, readKeySet } from './key-set.ts';
export { createRemoteKeySet, type RemoteKeySet } from './remote-key-set.ts';
export { isSignedBy, type ParsedToken, parseToken } from './token.ts';
export type { Claims, Keys, VerifiedToken } from './types.ts';
export { createVerifier, type VerifierCache } from './verifier.ts';

export interface KeysOptions {
  readonly mode: 'development' | 'production';
  readonly config: Config;
  /** The supabase/ folder; `signing_keys_path` is relative to it. */
  readonly supabaseDir: string;
  /** `.plinth/`; production keeps its secrets there. */
  readonly dataDir: string;
  /** How the keys of a third-party issuer are fetched. */
  readonly outgoing?: Outgoing;
  readonly log?: Logger;
}

export interface KeyStore extends Keys {
  readonly databasePassword: string;
  /** Names of the settings whose value is the local stack's, and so known to everybody. */
  readonly wellKnown: readonly string[];
  /** Fetches the keys of a third-party issuer, if there is one. Never rejects. */
  warm(): Promise<void>;
}

const tenYearsSeconds = 10 * 365 * 24 * 3600;

/** @throws {Error} when the signing keys file or the secrets file cannot be used; the message names the file. */
export function createKeys(options: KeysOptions): KeyStore {
  const { auth } = options.config;
  const secrets =
    options.mode === 'production' ? loadOrCreateSecrets(join(options.dataDir, 'secrets.json')) : undefined;
  const jwtSecret: string = auth.jwt_secret ?? secrets?.jwtSecret ?? demo.jwtSecret;
  const ownKeys = auth.signing_keys_path
    ? readSigningKeys(resolve(options.supabaseDir, auth.signing_keys_path))
    : undefined;
  const loaded = (ownKeys ?? secrets?.signingKeys ?? [demo.signingKey]).map(loadJwk);
  const secretKey: Key = { kind: 'secret', secret: Buffer.from(jwtSecret) };
  const signer = loaded.find((key) => key.signKey !== undefined);

  const own = createVerifier(() => ({ secret: secretKey.secret, keys: loaded }));
  const issuer = thirdPartyIssuer(auth.third_party);
  const thirdParty =
    issuer === undefined
      ? undefined
      : createThirdParty({
          issuer,
          outgoing: options.outgoing ?? createOutgoing({ mode: options.mode }),
          now: Date.now,
          log: options.log ?? silentLogger,
        });
  const all =
    thirdParty === undefined
      ? own
      : createVerifier(() => ({ secret: secretKey.secret, keys: loaded, outside: thirdParty.find }));
  const signWithSecret = (claims: Claims): string => encode({ alg: 'HS256', typ: 'JWT' }, claims, secretKey);
  const sign = (claims: Claims): string => (signer ? signWith(signer, claims) : signWithSecret(claims));
  const apiKey = (role: string): string => {
    // With a signing keys file the local stack signs these with its first key, for ten years; else they are the demo keys.
    if (ownKeys === undefined || signer === undefined) {
      return signWithSecret({ iss: demo.keyIssuer, role, exp: demo.keyExpiresAt });
    }
    return sign({ iss: demo.keyIssuer, role, exp: Math.floor(Date.now() / 1000) + tenYearsSeconds });
  };

  const publicKeys = loaded.flatMap((key) => (key.publicJwk ? [key.publicJwk] : []));
  const secretJwk = { kty: 'oct', k: Buffer.from(jwtSecret).toString('base64url') };
  return {
    anonKey: auth.anon_key ?? apiKey('anon'),
    serviceRoleKey: auth.service_role_key ?? apiKey('service_role'),
    publishableKey: auth.publishable_key ?? secrets?.publishableKey ?? demo.publishableKey,
    secretKey: auth.secret_key ?? secrets?.secretKey ?? demo.secretKey,
    jwtSecret,
    s3: secrets?.s3 ?? demo.s3,
    databasePassword: secrets?.databasePassword ?? 'postgres',
    wellKnown: [
      ...(jwtSecret === demo.jwtSecret ? ['auth.jwt_secret'] : []),
      ...((auth.secret_key ?? secrets?.secretKey ?? demo.secretKey) === demo.secretKey
        ? ['auth.secret_key']
        : []),
      ...(loaded.some((key) => key.publicJwk?.x === demo.signingKey.x) ? ['auth.signing_keys_path'] : []),
    ],
    verify: all.verify,
    verifyOwn: own.verify,
    prepare(authorization) {
      const token = thirdParty && /^bearer (\S+)$/i.exec(authorization ?? '')?.[1];
      return token === undefined ? undefined : thirdParty?.prepare(token);
    },
    warm: async () => thirdParty?.warm(),
    signingAlgorithm: () => signer?.alg ?? 'HS256',
    sign,
    signWithSecret,
    publicJwks: () => ({ keys: publicKeys }),
    samlKeys: createSamlKeys(options.config.plinth.auth.saml, join(options.dataDir, 'saml-key.pem')),
    internalJwks: () => ({
      keys: [...(thirdParty?.known() ?? []), ...publicKeys, ...(ownKeys === undefined ? [secretJwk] : [])],
    }),
  };
}

function readSigningKeys(file: string): Jwk[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`auth.signing_keys_path: ${file} cannot be read as JSON (${(error as Error).message})`);
  }
  if (!Array.isArray(parsed) || parsed.length === 0) {
    throw new Error(
      `auth.signing_keys_path: ${file} must hold a JSON list of private JWKs; make one with "plinth gen signing-key"`,
    );
  }
  return parsed as Jwk[];
}

function signWith(key: LoadedKey, claims: Claims): string {
  if (key.signKey === undefined) throw new Error('this key cannot sign');
  return encode({ alg: key.alg, ...(key.kid ? { kid: key.kid } : {}), typ: 'JWT' }, claims, key.signKey);
}

function encode(header: { alg: string; kid?: string; typ: string }, claims: Claims, key: Key): string {
  const algorithm = findAlgorithm(header.alg);
  if (algorithm === undefined) throw new Error(`unknown algorithm ${header.alg}`);
  const data = `${base64Url(header)}.${base64Url(claims)}`;
  return `${data}.${algorithm.sign(key, data).toString('base64url')}`;
}

const base64Url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
