/**
 * The routes for API keys and signing keys. All operators can list the keys. Only owners can reveal secrets or change
 * keys.
 */

import type { GroupState } from '../../../platform/group/types.ts';
import {
  type ApiKeyEntry,
  describeKeys,
  generateSigningKey,
  type KeyFile,
  KeyRejection,
  type KeyStore,
  revoke,
  rotate,
  withStandby,
} from '../../../platform/keys/index.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, fresh, freshByInput } from '../routes/api.ts';
import { requireFresh } from '../sessions.ts';
import type { SigningKey, SigningKeys } from './contract.ts';

export interface KeyDeps {
  readonly keys: KeyStore;
  /** Runs a change of key files, and stores the files for all nodes. */
  readonly change: GroupState['change'];
  /** Whether the signing keys are in a file of the project, of which each of several nodes has a copy. */
  readonly isInProject: () => boolean;
  readonly jwtExpirySeconds: () => number;
  readonly audit: Audit;
}

/** The keys that exist in every project. The Console requests the value of each key separately. */
const builtIn = ['publishable', 'secret', 'anon', 'service_role', 'jwt_secret'] as const;
/** The keys that are meant to be included in apps. */
const publicKeys: ReadonlySet<string> = new Set(['publishable', 'anon']);

export function keyRoutes(api: Api, deps: KeyDeps): void {
  const { keys, change, isInProject, jwtExpirySeconds, audit } = deps;
  const route = api.feature(() => import('./contract.ts'));

  const readers: Readonly<Record<(typeof builtIn)[number], () => string>> = {
    publishable: () => keys.publishableKey,
    secret: () => keys.secretKey,
    anon: () => keys.anonKey,
    service_role: () => keys.serviceRoleKey,
    jwt_secret: () => keys.jwtSecret,
  };

  route('GET /keys', 'read', async () => ({
    publishableKey: keys.publishableKey,
    anonKey: keys.anonKey,
    // The first characters are enough to recognize the key, but not enough to use it.
    secretKeyHint: keys.secretKey.slice(0, 14),
    isWellKnown: keys.wellKnown.length > 0,
    defaultKeys: {
      publishable: keys.defaultKeys.sourceOf('publishable'),
      secret: keys.defaultKeys.sourceOf('secret'),
    },
    apiKeys: keys.apiKeys.list(),
    signing: signingView(keys),
    signingFile: keys.signingKeys !== undefined,
    areLegacyKeysRotated: keys.areLegacyKeysRotated,
    jwtExpirySeconds: jwtExpirySeconds(),
  }));
  route('POST /keys/reveal', freshByInput('own'), async (call) => {
    const { name } = await call.body();
    if (!publicKeys.has(name)) requireFresh(call.operator);
    await audit(call, 'key.reveal', name);
    return { value: readers[name]() };
  });
  route('POST /keys/api', fresh('own'), async (call) => {
    const { kind, name } = await call.body();
    const { entry, key } = await change(() => keys.apiKeys.create(kind, name, call.operator.name));
    await audit(call, 'key.create', name, { kind, id: entry.id });
    return { entry, key };
  });
  route('POST /keys/default/rotate', fresh('own'), async (call) => {
    const { kind } = await call.body();
    const rotated = await orRefused(change(() => keys.defaultKeys.rotate(kind, call.operator.name)));
    await audit(call, 'key.rotate', kind, { previous: rotated.previous.id });
    return rotated;
  });
  route('DELETE /keys/api/:id', fresh('own'), async (call) => {
    const { id } = call.params;
    const entry: ApiKeyEntry | undefined = await change(() => keys.apiKeys.revoke(id));
    if (entry === undefined) throw new ConsoleError('not_found', { message: "This key doesn't exist." });
    await audit(call, 'key.revoke', entry.name, { kind: entry.kind, id });
  });

  async function changed(update: Parameters<KeyFile['update']>[0]): Promise<SigningKeys> {
    if (keys.signingKeys === undefined)
      throw new ConsoleError('bad_request', {
        message: "The well-known key for local development can't be replaced.",
        hint: 'Set auth.signing_keys_path in config.toml to your own file.',
      });
    if (isInProject())
      throw new ConsoleError('refused', {
        message: 'The signing keys are in a file of the project, and each node has a copy of this file.',
        hint: 'Change the file and deploy it to every node, or remove auth.signing_keys_path so that Plinth stores the keys.',
      });
    const { signingKeys } = keys;
    await orRefused(change(() => signingKeys.update(update)));
    return { signing: signingView(keys) };
  }
  route('POST /keys/signing', fresh('own'), async (call) => {
    const { algorithm } = await call.body();
    const key = generateSigningKey(algorithm);
    const result = await changed((all) => withStandby(all, key));
    await audit(call, 'signing-key.standby', String(key.kid), { algorithm });
    return result;
  });
  route('POST /keys/signing/rotate', fresh('own'), async (call) => {
    const { kid } = await call.body();
    const result = await changed((all) => rotate(all, kid));
    await audit(call, 'signing-key.rotate', kid ?? '');
    return result;
  });
  route('DELETE /keys/signing/:kid', fresh('own'), async (call) => {
    const { kid } = call.params;
    const result = await changed((all) => revoke(all, kid));
    await audit(call, 'signing-key.revoke', kid);
    return result;
  });
}

/** Waits for a change to the keys. @throws {ConsoleError} refused */
async function orRefused<T>(change: Promise<T>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof KeyRejection)
      throw new ConsoleError('refused', { message: error.message, hint: error.advice });
    throw error;
  }
}

/** Returns the signing keys and how tokens signed with them were used since the server started. */
function signingView(keys: KeyStore): SigningKey[] {
  const uses = keys.keyUses();
  const seenOf = (kid: string) => {
    const use = uses.get(kid);
    return {
      lastUsedAt: use === undefined ? null : new Date(use.lastUsedAt).toISOString(),
      uses: use?.uses ?? 0,
      subjects: use?.subjects.toReversed() ?? [],
    };
  };
  const entries =
    keys.signingKeys === undefined
      ? keys.publicJwks().keys.map(({ kid, alg }) => ({
          kid: String(kid),
          algorithm: String(alg),
          state: 'in use' as const,
        }))
      : describeKeys(keys.signingKeys.read());
  return [
    ...entries.map((entry) => ({ ...entry, ...seenOf(entry.kid) })),
    { kid: '', algorithm: 'HS256', state: 'secret', ...seenOf('') },
  ];
}
