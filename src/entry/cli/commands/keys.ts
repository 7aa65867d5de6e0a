/**
 * The `plinth keys …` commands, which change the signing key file. Running servers load the changed file within a
 * second.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, loadConfig, savedFolder } from '../../../platform/config/index.ts';
import {
  describeKeys,
  generateSigningKey,
  type KeyFile,
  KeyRejection,
  keyFileOf,
  revoke,
  rotate,
  type SigningAlgorithm,
  signingAlgorithms,
  withStandby,
} from '../../../platform/keys/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { CommandError } from '../errors.ts';
import { columns, print, say } from '../output.ts';
import { locationOf } from '../project-location.ts';

export const keysList: Command = {
  name: 'keys list',
  about: 'Lists the keys that sign and verify tokens: the current key, standby keys and previous keys.',
  options: projectOptions,
  examples: [['plinth keys list', 'shows the kid, algorithm and state of each key']],
  run: async (input) => {
    const { file } = openKeys(input);
    const rows = describeKeys(file.read()).map(({ kid, algorithm, state }) => [kid, algorithm, state]);
    print(columns([['Key', 'Algorithm', 'State'], ...rows]));
    return 0;
  },
};

export const keysStandby: Command = {
  name: 'keys standby',
  about:
    'Creates a standby key and publishes it immediately. The key doesn\'t sign tokens until "plinth keys rotate" makes it the\ncurrent key. Clients cache keys for ten minutes, so wait at least that long before you rotate.',
  options: {
    ...projectOptions,
    algorithm: {
      type: 'string',
      value: 'ALG',
      help: `One of ${signingAlgorithms.join(', ')}. Default: ES256. Standard Supabase clients verify ES256 and RS256 signatures locally.`,
    },
  },
  examples: [['plinth keys standby', 'after at least ten minutes, run: plinth keys rotate']],
  run: async (input) => {
    const algorithm = input.text('algorithm') ?? 'ES256';
    if (!isAlgorithm(algorithm)) {
      throw new UsageError(`--algorithm must be one of ${signingAlgorithms.join(', ')}`);
    }
    const { file } = openKeys(input);
    const key = generateSigningKey(algorithm);
    update(file, (keys) => withStandby(keys, key));
    say(`Added standby key ${String(key.kid)} (${algorithm}) to ${file.path}.`);
    say(
      'Wait ten minutes before you run "plinth keys rotate" because clients may cache the keys for that long.',
    );
    return 0;
  },
};

export const keysRotate: Command = {
  name: 'keys rotate',
  takes: '[KID]',
  about:
    'Makes a standby key the current key, without a restart. Tokens that the previous key signed stay valid until they\nexpire or that key is revoked.',
  options: projectOptions,
  examples: [
    ['plinth keys rotate', 'makes the oldest standby key the current key'],
    ['plinth keys rotate 1c0e…', 'makes a specific standby key the current key'],
  ],
  run: async (input) => {
    const { file, config } = openKeys(input);
    const [kid] = input.positionals;
    const before = describeKeys(file.read()).find(({ state }) => state === 'in use');
    const [current] = describeKeys(update(file, (keys) => rotate(keys, kid)));
    say(`The current key is now ${current?.kid} (${current?.algorithm}).`);
    if (before !== undefined) {
      const lifetime = Math.ceil(config.auth.jwt_expiry / 60);
      say(`Access tokens that key ${before.kid} signed expire within ${lifetime} minutes. After that, run:`);
      say(`  plinth keys revoke ${before.kid}`);
    }
    return 0;
  },
};

export const keysRevoke: Command = {
  name: 'keys revoke',
  takes: 'KID',
  about:
    "Removes a key that isn't the current key. All tokens that it signed become invalid. Clients that have such a token\nmust refresh it.",
  options: projectOptions,
  examples: [['plinth keys revoke 1c0e…', 'invalidates all tokens that this key signed']],
  run: async (input) => {
    const [kid] = input.positionals;
    if (kid === undefined)
      throw new UsageError('A key ID is required. Run "plinth keys list" to list the keys');
    const { file, config } = openKeys(input);
    update(file, (keys) => revoke(keys, kid));
    say(`Revoked key ${kid}.`);
    if (config.auth.signing_keys_path !== undefined) {
      say(
        'API keys (anon, service_role) that this key signed are also invalid. To print the current keys, run "plinth status".',
      );
    }
    return 0;
  },
};

function isAlgorithm(text: string): text is SigningAlgorithm {
  return (signingAlgorithms as readonly string[]).includes(text);
}

function openKeys(input: Input): { file: KeyFile; config: Config } {
  const { projectDir, dataDir } = locationOf(input);
  const mode = existsSync(join(dataDir, 'secrets.json')) ? 'production' : 'development';
  // Settings that were saved on this node can also contain signing_keys_path.
  const savedDir = mode === 'production' ? join(dataDir, savedFolder) : undefined;
  const { config, supabaseDir } = loadConfig({ projectDir, savedDir });
  const file = keyFileOf({ signingKeysPath: config.auth.signing_keys_path, supabaseDir, dataDir, mode });
  if (file !== undefined) return { file, config };
  throw new CommandError(
    'This project signs tokens with the well-known key of the local stack.',
    'To use separate keys, set [auth] signing_keys_path in config.toml and run "plinth gen signing-key". "plinth serve" generates keys automatically.',
  );
}

function update(file: KeyFile, change: Parameters<KeyFile['update']>[0]): ReturnType<KeyFile['update']> {
  try {
    return file.update(change);
  } catch (error) {
    if (error instanceof KeyRejection) throw new CommandError(error.message, error.advice);
    throw error;
  }
}
