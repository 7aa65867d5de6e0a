/**
 * The key store, which contains a project's API keys, JWT secret and signing keys.
 *
 * Development uses the local stack's well-known values unless config.toml sets other values. In production, Plinth
 * generates new values (`secrets-file.ts`). The first key in the list that can sign is the current signing key. All
 * keys in the list verify tokens (`key-ring.ts`).
 */
import { join } from 'node:path';
import { type Logger, silentLogger } from '../../base/kernel/log.ts';
import { createOutgoing, type Outgoing } from '../../base/shared/network/outgoing.ts';
import type { Config } from '../config/index.ts';
import { type ApiKeys, apiKeyKinds, createApiKeys } from './api-keys.ts';
import { createDefaultKeys, type DefaultKeys, demo, publicJwtSecrets } from './default-keys.ts';
import { findAlgorithm, type Key, type LoadedKey } from './jwk.ts';
import { type KeyFile, keyFileOf } from './key-file.ts';
import { createKeyRing } from './key-ring.ts';
import { createKeyUses, type KeyUse, type KeyUses } from './key-uses.ts';
import { createRoleTokens } from './role-tokens.ts';
import { type ChangeFiles, createSamlKeys } from './saml-keys.ts';
import { loadOrCreateSecrets, type Secrets } from './secrets-file.ts';
import { createThirdParty, thirdPartyIssuer } from './third-party.ts';
import type { Claims, Keys, TokenKind, VerifiedToken } from './types.ts';
import { createVerifier, kindOfToken } from './verifier.ts';

export { type ApiKeyEntry, type ApiKeyKind, type ApiKeys, apiKeyKinds } from './api-keys.ts';
export { type DefaultKeySource, publicJwtSecrets } from './default-keys.ts';
export { generateSigningKey, type SigningAlgorithm, signingAlgorithms } from './jwk.ts';
export { type KeyFile, keyFileOf, whileLocked } from './key-file.ts';
export { type KeySet, KeySetError, readKeySet } from './key-set.ts';
export type { KeyUse } from './key-uses.ts';
export { createRemoteKeySet, type RemoteKeySet } from './remote-key-set.ts';
export { describeKeys, KeyRejection, revoke, rotate, withStandby } from './rotation.ts';
export type { Claims, Keys, VerifiedToken } from './types.ts';
export { createVerifier, isSignedBy, type ParsedToken, parseToken, type VerifierCache } from './verifier.ts';

export interface KeysOptions {
  readonly mode: 'development' | 'production';
  readonly config: Config;
  /** The `supabase/` folder, to which `signing_keys_path` is relative. */
  readonly supabaseDir: string;
  /** The folder `.plinth/`, where production stores its secrets. */
  readonly dataDir: string;
  /** Sends the requests that fetch the keys of a third-party issuer. */
  readonly outgoing?: Outgoing;
  /** Returns milliseconds from a monotonic clock. */
  readonly monotonicMs?: () => number;
  readonly log?: Logger;
  /** Runs work that creates a key file after the start. */
  readonly change?: ChangeFiles;
}

/** The key files in the data folder. */
export const keyFiles = ['secrets.json', 'api-keys.json', 'saml-key.pem'] as const;

/** Creates the secrets file in the data folder if it doesn't exist. @throws {Error} if the file is invalid */
export const createSecrets = (dataDir: string): void => void loadOrCreateSecrets(join(dataDir, keyFiles[0]));

/** How a process used the keys. Signing keys are identified by `kid`, and additional keys by their ID. */
export interface TakenKeyUses {
  readonly signingKeys: ReadonlyMap<string, KeyUse>;
  /** When each key was last used, in milliseconds since the epoch. */
  readonly apiKeys: ReadonlyMap<string, number>;
}

export interface KeyStore extends Keys {
  readonly databasePassword: string;
  /** Additional publishable and secret keys. */
  readonly apiKeys: Pick<ApiKeys, 'list' | 'create' | 'revoke'>;
  /** The default publishable and secret keys, which can be rotated. */
  readonly defaultKeys: Pick<DefaultKeys, 'sourceOf' | 'rotate'>;
  /** Changes signing keys. Undefined if the well-known key, which can't be changed, is the signing key. */
  readonly signingKeys: KeyFile | undefined;
  /** Whether a legacy key is signed with the current signing key and therefore changes with a rotation. */
  readonly areLegacyKeysRotated: boolean;
  /** Returns how often each signing key has verified a token since this process started, by `kid`. */
  keyUses(): ReadonlyMap<string, KeyUse>;
  /**
   * Returns how this process used the keys and clears the record. The caller sends the result to another process, which
   * adds it to its own record.
   */
  takeKeyUses(): TakenKeyUses;
  addKeyUses(taken: TakenKeyUses): void;
  /** Checks all key files, no matter when they were last checked. */
  refresh(): void;
  /** The names of settings whose value is public because it is the local stack's default or a placeholder. */
  readonly wellKnown: readonly string[];
  /** Fetches the keys of a third-party issuer, if one is configured. Never rejects. */
  warm(): Promise<void>;
}

/** The publicly known secrets in base64url, which is the encoding of symmetric keys in a signing keys file. */
const publicSecretTexts = publicJwtSecrets.map((secret) => Buffer.from(secret).toString('base64url'));

/**
 * Creates a project's key store.
 * @throws {Error} if the signing keys file or the secrets file is invalid. The error's message includes the file's
 * path.
 */
export function createKeys(options: KeysOptions): KeyStore {
  const { auth } = options.config;
  const secrets =
    options.mode === 'production' ? loadOrCreateSecrets(join(options.dataDir, 'secrets.json')) : undefined;
  const s3 = secrets?.s3 ?? demo.s3;
  const isWellKnown = s3.secretAccessKey === demo.s3.secretAccessKey;
  const jwtSecret: string = auth.jwt_secret ?? secrets?.jwtSecret ?? demo.jwtSecret;
  const file = keyFileOf({ ...options, signingKeysPath: auth.signing_keys_path });
  // Clears all caches after a key has changed, so that tokens signed by a revoked key aren't accepted.
  let generation = 0;
  const forget = (): void => {
    generation++;
    own.forget();
    all.forget();
    roleTokens.forget();
  };
  const ring = createKeyRing({
    file,
    fixed: [demo.signingKey],
    monotonicMs: options.monotonicMs ?? (() => performance.now()),
    onChange: forget,
    log: options.log ?? silentLogger,
  });
  const secretKey: Key = { kind: 'secret', secret: Buffer.from(jwtSecret) };

  const ownKeys = () => ({ secret: secretKey.secret, keys: ring.current().keys });
  const own = createVerifier(ownKeys);
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
    thirdParty === undefined ? own : createVerifier(() => ({ ...ownKeys(), outside: thirdParty.find }));
  const uses = createKeyUses(Date.now);
  const monotonicMs = options.monotonicMs ?? (() => performance.now());
  const verifyWith = (verifier: typeof own, token: string, expected: TokenKind): VerifiedToken => {
    const verified = verifiedBy(verifier, token);
    if (!verified.ok) return verified;
    uses.note(verified);
    // Doesn't check a third-party token's kind, because issuers such as Firebase use ID tokens as access tokens.
    const kind = verified.isOwn ? kindOfToken(verified.header, verified.claims) : 'access';
    if (kind === expected) return verified;
    return { ok: false, reason: 'kind', algorithm: verified.header.alg, kind };
  };
  const verifiedBy = (verifier: typeof own, token: string): VerifiedToken => {
    // Detects changed keys, so it is called even if the token is cached.
    ring.current();
    const verified = verifier.verify(token);
    const isUnknown = !verified.ok && (verified.reason === 'no-key' || verified.reason === 'signature');
    return isUnknown && ring.lookAgain() ? verifier.verify(token) : verified;
  };
  const signWithSecret = (claims: Claims, typ = 'JWT'): string =>
    encode({ alg: 'HS256', typ }, claims, secretKey);
  const sign = (claims: Claims, typ?: string): string => {
    const { signer } = ring.current();
    return signer ? signWith(signer, claims, typ) : signWithSecret(claims, typ);
  };
  const roleTokens = createRoleTokens(auth, ring, { sign, signWithSecret });

  const { furtherKeys, defaultKeys, opaqueGeneration, parts } = createOpaqueKeys(
    options,
    secrets,
    monotonicMs,
  );
  const secretJwk = { kty: 'oct', k: Buffer.from(jwtSecret).toString('base64url') };
  return {
    get anonKey() {
      return roleTokens.legacyKeys().anon;
    },
    get serviceRoleKey() {
      return roleTokens.legacyKeys().serviceRole;
    },
    get publishableKey() {
      return defaultKeys.current('publishable');
    },
    get secretKey() {
      return defaultKeys.current('secret');
    },
    jwtSecret,
    s3: { ...s3, isWellKnown },
    databasePassword: secrets?.databasePassword ?? 'postgres',
    ...parts,
    signingKeys: file,
    areLegacyKeysRotated: areLegacyKeysRotated(auth),
    // Reads the keys first, which detects changes.
    generation: () => ring.current() && generation + opaqueGeneration() + (thirdParty?.generation() ?? 0),
    ...recordedUses(uses, furtherKeys),
    refresh() {
      ring.refresh();
      defaultKeys.refresh();
      furtherKeys.refresh();
    },
    wellKnown: publicSettings({
      jwtSecret,
      secretKey: defaultKeys.current('secret'),
      ring: ring.current(),
      isS3WellKnown: isWellKnown,
    }),
    verify: (token) => verifyWith(all, token, 'access'),
    verifyOwn: (token) => verifyWith(own, token, 'access'),
    verifyIdToken: (token) => verifyWith(own, token, 'id'),
    verifySignedUrl: (token) => verifyWith(own, token, 'signed-url'),
    prepare(authorization) {
      const token = thirdParty && /^bearer (\S+)$/i.exec(authorization ?? '')?.[1];
      return token === undefined ? undefined : thirdParty?.prepare(token);
    },
    warm: async () => thirdParty?.warm(),
    signingAlgorithm: () => ring.current().signer?.alg ?? 'HS256',
    sign,
    signWithSecret,
    temporaryToken: roleTokens.temporary,
    samlKeys: createSamlKeys(
      options.config.plinth.auth.saml,
      join(options.dataDir, 'saml-key.pem'),
      options.change,
    ),
    publicJwks: () => ({ keys: ring.current().publicKeys }),
    internalJwks: () => ({
      keys: [
        ...(thirdParty?.known() ?? []),
        ...ring.current().publicKeys,
        ...ring.current().secretKeys,
        ...(auth.signing_keys_path === undefined ? [secretJwk] : []),
      ],
    }),
  };
}

const recordedUses = (uses: KeyUses, furtherKeys: ApiKeys) =>
  ({
    keyUses: () => uses.read(),
    takeKeyUses: () => ({ signingKeys: uses.take(), apiKeys: furtherKeys.takeUses() }),
    addKeyUses(taken) {
      uses.add(taken.signingKeys);
      furtherKeys.addUses(taken.apiKeys);
    },
  }) satisfies Partial<KeyStore>;

/** Creates the stores of the default and the additional `sb_` keys. */
function createOpaqueKeys(
  { config, dataDir, log = silentLogger }: KeysOptions,
  secrets: Secrets | undefined,
  monotonicMs: () => number,
) {
  const { publishable_key: publishable, secret_key: secret } = config.auth;
  const furtherKeys = createApiKeys({
    file: join(dataDir, 'api-keys.json'),
    monotonicMs,
    now: Date.now,
    log,
  });
  const defaultKeys = createDefaultKeys({
    file: secrets === undefined ? undefined : join(dataDir, 'secrets.json'),
    generated: secrets,
    settings: { publishable, secret },
    apiKeys: furtherKeys,
    monotonicMs,
    log,
  });
  const parts = {
    apiKeys: {
      ...furtherKeys,
      // If a rotation was interrupted, a default key may also be in the list of additional keys.
      list: () => furtherKeys.list(apiKeyKinds.map(defaultKeys.current)),
    },
    defaultKeys,
    onDefaultKeyChange: defaultKeys.onChange,
    // Another process may just have replaced a default key.
    kindOfApiKey: (key: string) =>
      furtherKeys.kindOf(key) ?? (key.startsWith('sb_') ? defaultKeys.kindOf(key) : undefined),
  } satisfies Partial<KeyStore>;
  let defaultChanges = 0;
  defaultKeys.onChange(() => {
    defaultChanges++;
  });
  const opaqueGeneration = (): number => {
    defaultKeys.current('publishable');
    furtherKeys.refresh();
    return furtherKeys.generation() + defaultChanges;
  };
  return { furtherKeys, defaultKeys, opaqueGeneration, parts };
}

const areLegacyKeysRotated = (auth: KeysOptions['config']['auth']): boolean =>
  auth.signing_keys_path !== undefined &&
  (auth.anon_key === undefined || auth.service_role_key === undefined);

/** Returns the names of the settings whose value is public. */
function publicSettings(values: {
  readonly jwtSecret: string;
  readonly secretKey: string;
  readonly ring: Pick<ReturnType<ReturnType<typeof createKeyRing>['current']>, 'publicKeys' | 'secretKeys'>;
  readonly isS3WellKnown: boolean;
}): string[] {
  const { publicKeys, secretKeys } = values.ring;
  const hasPublicSigningKey =
    publicKeys.some((key) => key.x === demo.signingKey.x) ||
    secretKeys.some(({ k }) => publicSecretTexts.includes(String(k)));
  return [
    ...(publicJwtSecrets.includes(values.jwtSecret) ? ['auth.jwt_secret'] : []),
    ...(values.secretKey === demo.secretKey ? ['auth.secret_key'] : []),
    ...(hasPublicSigningKey ? ['auth.signing_keys_path'] : []),
    ...(values.isS3WellKnown ? ['the S3 key pair'] : []),
  ];
}

function signWith(key: LoadedKey, claims: Claims, typ = 'JWT'): string {
  if (key.signKey === undefined) throw new Error("this key can't sign");
  return encode({ alg: key.alg, ...(key.kid ? { kid: key.kid } : {}), typ }, claims, key.signKey);
}

function encode(header: { alg: string; kid?: string; typ: string }, claims: Claims, key: Key): string {
  const algorithm = findAlgorithm(header.alg);
  if (algorithm === undefined) throw new Error(`unknown algorithm ${header.alg}`);
  const data = `${base64Url(header)}.${base64Url(claims)}`;
  return `${data}.${algorithm.sign(key, data).toString('base64url')}`;
}

const base64Url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
