import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '../../../base/shared/json.ts';
import { jsonText } from '../../../base/shared/printable.ts';
import { loadConfig, parseDuration } from '../../../platform/config/index.ts';
import { createKeys, generateSigningKey } from '../../../platform/keys/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { CommandError } from '../errors.ts';
import { print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';

export const genSigningKey: Command = {
  name: 'gen signing-key',
  about:
    'Generates a private key (JWK) that signs tokens, and writes it to [auth] signing_keys_path if set, or prints it.',
  options: {
    ...projectOptions,
    algorithm: { type: 'string', value: 'ALG', help: 'ES256 (default) or RS256.' },
    append: {
      type: 'boolean',
      help: 'Appends the key to the file as a standby key, instead of replacing the file.',
    },
  },
  examples: [
    ['plinth gen signing-key', 'prints a key; put [KEY] into supabase/signing_keys.json'],
    ['plinth gen signing-key --append', 'adds a standby key'],
  ],
  run: async (input) => {
    const algorithm = input.text('algorithm') ?? 'ES256';
    if (algorithm !== 'ES256' && algorithm !== 'RS256')
      throw new UsageError('--algorithm must be ES256 or RS256');
    const { projectDir } = locationOf(input);
    const key = generateSigningKey(algorithm);
    const path = signingKeysPath(projectDir);
    if (path === undefined) {
      if (input.flag('append'))
        throw new CommandError(
          "The file to append to isn't configured.",
          'Set [auth] signing_keys_path in config.toml.',
        );
      print(jsonText(key, 2));
      say(
        'To use this key, put it into a JSON list in supabase/signing_keys.json and set this in config.toml:',
      );
      say('[auth]\nsigning_keys_path = "./signing_keys.json"');
      return 0;
    }
    const before = input.flag('append') && existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : [];
    writeFileSync(path, `${JSON.stringify([...before, key], null, 2)}\n`, { mode: 0o600 });
    say(`JWT signing key ${input.flag('append') ? 'appended' : 'saved'}: ${path}. Do not commit it.`);
    return 0;
  },
};

/**
 * Returns the path of the key file even if the file doesn't exist yet. For a missing file, the configuration loader
 * would throw an error.
 */
function signingKeysPath(projectDir: string): string | undefined {
  try {
    return loadConfig({ projectDir }).config.auth.signing_keys_path;
  } catch (error) {
    const missing = /signing_keys_path: the file (.+) doesn't exist$/m.exec((error as Error).message)?.[1];
    if (missing !== undefined) return missing;
    throw error;
  }
}

export const genBearerJwt: Command = {
  name: 'gen bearer-jwt',
  about: "Prints a token signed with this project's key, for manual API calls.",
  options: {
    ...projectOptions,
    role: {
      type: 'string',
      value: 'ROLE',
      help: 'anon, authenticated, service_role or a role that you created.',
    },
    sub: { type: 'string', value: 'ID', help: 'User ID (sub claim).' },
    exp: { type: 'string', value: 'TIME', help: 'Expiration time, such as 2030-01-31T12:00:00Z.' },
    'valid-for': { type: 'string', value: 'DURATION', help: 'Lifetime. Default: 30m.' },
    payload: { type: 'string', value: 'JSON', help: 'Additional claims.' },
  },
  examples: [
    ['plinth gen bearer-jwt --role service_role', 'prints a token that bypasses RLS for 30 minutes'],
    [
      'plinth gen bearer-jwt --role authenticated --sub 5b1d… --valid-for 8h',
      'prints a token for a specific user',
    ],
  ],
  run: async (input) => {
    const role = input.text('role');
    if (role === undefined) throw new UsageError('--role is required');
    const { projectDir, dataDir } = locationOf(input);
    const { config, supabaseDir } = loadConfig({ projectDir });
    const mode = existsSync(join(dataDir, 'secrets.json')) ? 'production' : 'development';
    const keys = createKeys({ mode, config, supabaseDir, dataDir });
    print(keys.sign(claimsOf(role, input)));
    return 0;
  },
};

/** Returns the token's claims. As in upstream, `--payload` overrides all other claims. */
function claimsOf(role: string, input: Input): Record<string, unknown> {
  const validFor = parseDuration(input.text('valid-for') ?? '30m');
  if ('fault' in validFor) throw new UsageError(`--valid-for: ${validFor.fault}`);
  const seconds = Math.floor((validFor.value as number) / 1000);
  const exp =
    input.text('exp') === undefined
      ? Date.now() / 1000 + seconds
      : Date.parse(input.text('exp') ?? '') / 1000;
  if (Number.isNaN(exp)) throw new UsageError('--exp must be a time such as 2030-01-31T12:00:00Z');
  const sub = input.text('sub');
  return {
    role,
    ...(role === 'authenticated' && sub === undefined ? { is_anonymous: true } : {}),
    ...(sub === undefined ? {} : { sub }),
    iat: Math.floor(exp) - seconds,
    exp: Math.floor(exp),
    ...payloadOf(input.text('payload')),
  };
}

function payloadOf(text = '{}'): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // Invalid JSON results in the error below.
  }
  throw new UsageError('--payload must be a JSON object');
}
