/** API keys and signing keys. Who may sign in to the Console sees which there are; only owners see or change secrets. */
import {
  type ApiKeyEntry,
  describeKeys,
  generateSigningKey,
  type KeyFile,
  KeyRefusal,
  type KeyStore,
  revoke,
  rotate,
  withStandby,
} from '../../keys/index.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, parseAs } from '../routes/api.ts';

export interface KeyDeps {
  readonly keys: KeyStore;
  readonly jwtExpirySeconds: number;
  readonly audit: Audit;
}

/** Keys a project begins with: their values are asked for by name. */
const builtIn = ['publishable', 'secret', 'anon', 'service_role', 'jwt_secret'] as const;

export function keyRoutes(api: Api, { keys, jwtExpirySeconds, audit }: KeyDeps): void {
  const schemas = () => import('./schemas.ts');

  const readers: Readonly<Record<(typeof builtIn)[number], () => string>> = {
    publishable: () => keys.publishableKey,
    secret: () => keys.secretKey,
    anon: () => keys.anonKey,
    service_role: () => keys.serviceRoleKey,
    jwt_secret: () => keys.jwtSecret,
  };

  api.route('GET', '/keys', 'read', async () => ({
    publishableKey: keys.publishableKey,
    anonKey: keys.anonKey,
    // To know it again, not to use it.
    secretKeyHint: keys.secretKey.slice(0, 14),
    isWellKnown: keys.wellKnown.length > 0,
    apiKeys: keys.apiKeys.list(),
    signing: signingView(keys),
    signingFile: keys.signingKeys !== undefined,
    jwtExpirySeconds,
  }));
  api.route('POST', '/keys/reveal', 'own', async (call) => {
    const { name } = await parseAs((await schemas()).reveal, call.request.body);
    await audit(call, 'key.reveal', name);
    return { value: readers[name]() };
  });
  api.route('POST', '/keys/api', 'own', async (call) => {
    const { kind, name } = await parseAs((await schemas()).newApiKey, call.request.body);
    const { entry, key } = keys.apiKeys.create(kind, name, call.operator.name);
    await audit(call, 'key.create', name, { kind, id: entry.id });
    return { entry, key };
  });
  api.route('DELETE', '/keys/api/:id', 'own', async (call) => {
    const { id } = call.request.params as { id: string };
    const entry: ApiKeyEntry | undefined = keys.apiKeys.revoke(id);
    if (entry === undefined) throw new ConsoleError('not_found', { message: 'There is no such key.' });
    await audit(call, 'key.revoke', entry.name, { kind: entry.kind, id });
  });

  function changed(change: Parameters<KeyFile['update']>[0]): object {
    if (keys.signingKeys === undefined)
      throw new ConsoleError('bad_request', {
        message: 'The well-known key of local development signs, and stays.',
        hint: 'Set auth.signing_keys_path in config.toml to a file of your own.',
      });
    try {
      keys.signingKeys.update(change);
    } catch (error) {
      if (error instanceof KeyRefusal)
        throw new ConsoleError('refused', { message: error.message, hint: error.advice });
      throw error;
    }
    return { signing: signingView(keys) };
  }
  api.route('POST', '/keys/signing', 'own', async (call) => {
    const { algorithm } = await parseAs((await schemas()).standby, call.request.body);
    const key = generateSigningKey(algorithm);
    const answer = changed((all) => withStandby(all, key));
    await audit(call, 'signing-key.standby', String(key.kid), { algorithm });
    return answer;
  });
  api.route('POST', '/keys/signing/rotate', 'own', async (call) => {
    const { kid } = await parseAs((await schemas()).rotation, call.request.body);
    const answer = changed((all) => rotate(all, kid));
    await audit(call, 'signing-key.rotate', kid ?? '');
    return answer;
  });
  api.route('DELETE', '/keys/signing/:kid', 'own', async (call) => {
    const { kid } = call.request.params as { kid: string };
    const answer = changed((all) => revoke(all, kid));
    await audit(call, 'signing-key.revoke', kid);
    return answer;
  });
}

/** Each signing key, and who has come with a token of it since this server began. */
function signingView(keys: KeyStore): object[] {
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
