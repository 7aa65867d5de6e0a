/** Compares function secrets by the hashes of their values, and sets those that differ. */
import { createHash } from 'node:crypto';
import { type SecretFields, secretsFrom } from '../management/secrets.ts';
import { type DeployContext, type Part, withoutChanges } from './part.ts';

/** @param envFile a `.env` file with secrets in addition to those in config.toml */
export async function planSecrets(
  { client, config }: DeployContext,
  envFile: string | undefined,
): Promise<Part> {
  const wanted = secretsFrom(config, envFile);
  const onServer = new Map(
    (await client.call<SecretFields[]>('listSecrets')).map(({ name, value }) => [name, value]),
  );
  const names = new Set(wanted.map(({ name }) => name));
  const others = [...onServer.keys()].filter((name) => !names.has(name));
  const notes = others.length === 0 ? [] : [`Only on the server: ${others.join(', ')}`];
  const stateOf = ({ name, value }: (typeof wanted)[number]): 'new' | 'changed' | 'hidden' | 'same' => {
    const digest = onServer.get(name);
    if (digest === undefined) return 'new';
    if (digest === '') return 'hidden';
    return digest === createHash('sha256').update(value).digest('hex') ? 'same' : 'changed';
  };
  const states = wanted.map((secret) => ({ secret, state: stateOf(secret) }));
  const hidden = states.filter(({ state }) => state === 'hidden').map(({ secret }) => secret.name);
  if (hidden.length > 0)
    notes.push(`Not compared, because the token's role can't see hashes: ${hidden.join(', ')}`);
  const changes = states.flatMap(({ secret: { name }, state }) => {
    if (state === 'new') return [`+ ${name}`];
    return state === 'changed' ? [`~ ${name} (new value)`] : [];
  });
  const sent = states.filter(({ state }) => state !== 'same').map(({ secret }) => secret);
  if (sent.length === 0) return withoutChanges(notes);
  return {
    changes,
    notes,
    steps: {
      async secrets() {
        await client.call('setSecrets', { secrets: sent });
      },
    },
  };
}
