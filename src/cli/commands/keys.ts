/** `plinth keys …`: the signing keys of a project, changed in their file; servers that run follow within a second. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Config, loadConfig } from '../../config/index.ts';
import {
  describeKeys,
  generateSigningKey,
  type KeyFile,
  KeyRefusal,
  keyFileOf,
  revoke,
  rotate,
  type SigningAlgorithm,
  signingAlgorithms,
  withStandby,
} from '../../keys/index.ts';
import { type Command, type Input, projectOptions, UsageError } from '../command.ts';
import { CommandError } from '../errors.ts';
import { columns, print, say } from '../output.ts';
import { placeOf } from '../place.ts';

export const keysList: Command = {
  name: 'keys list',
  about: 'Lists the keys that sign and verify tokens: the one in use, those on standby, and previous ones.',
  options: projectOptions,
  examples: [['plinth keys list', 'kid, algorithm and state of each']],
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
    'Makes a key that does not sign yet. It is published at once, so that everybody who caches the keys (ten minutes) knows it before "plinth keys rotate" puts it in use.',
  options: {
    ...projectOptions,
    algorithm: {
      type: 'string',
      value: 'ALG',
      help: `One of ${signingAlgorithms.join(', ')}; ES256 by default. Stock clients verify ES256 and RS256 by themselves.`,
    },
  },
  examples: [['plinth keys standby', 'then, ten minutes later or more: plinth keys rotate']],
  run: async (input) => {
    const algorithm = input.text('algorithm') ?? 'ES256';
    if (!isAlgorithm(algorithm)) {
      throw new UsageError(`--algorithm must be one of ${signingAlgorithms.join(', ')}`);
    }
    const { file } = openKeys(input);
    const key = generateSigningKey(algorithm);
    update(file, (keys) => withStandby(keys, key));
    say(`Key ${String(key.kid)} (${algorithm}) is on standby, in ${file.path}.`);
    say('Wait ten minutes before "plinth keys rotate": others may keep the list of keys that long.');
    return 0;
  },
};

export const keysRotate: Command = {
  name: 'keys rotate',
  takes: '[KID]',
  about:
    'Puts the standby key in use. Tokens of the key before stay valid until they expire, or until it is revoked. Nothing is restarted.',
  options: projectOptions,
  examples: [
    ['plinth keys rotate', 'the oldest standby key signs from now on'],
    ['plinth keys rotate 1c0e…', 'or a certain one'],
  ],
  run: async (input) => {
    const { file, config } = openKeys(input);
    const [kid] = input.positionals;
    const before = describeKeys(file.read()).find(({ state }) => state === 'in use');
    const [current] = describeKeys(update(file, (keys) => rotate(keys, kid)));
    say(`Key ${current?.kid} (${current?.algorithm}) is in use.`);
    if (before !== undefined) {
      const lifetime = Math.ceil(config.auth.jwt_expiry / 60);
      say(`Access tokens of key ${before.kid} run out within ${lifetime} minutes; after that:`);
      say(`  plinth keys revoke ${before.kid}`);
    }
    return 0;
  },
};

export const keysRevoke: Command = {
  name: 'keys revoke',
  takes: 'KID',
  about:
    'Removes a key that is not in use. Every token it has signed is refused from then on; whoever holds one refreshes it.',
  options: projectOptions,
  examples: [['plinth keys revoke 1c0e…', 'ends all tokens of that key']],
  run: async (input) => {
    const [kid] = input.positionals;
    if (kid === undefined) throw new UsageError('A key is needed; "plinth keys list" names them');
    const { file, config } = openKeys(input);
    update(file, (keys) => revoke(keys, kid));
    say(`Key ${kid} is revoked.`);
    if (config.auth.signing_keys_path !== undefined) {
      say(
        'An anon or service_role key that it has signed is refused too; "plinth status" prints the present ones.',
      );
    }
    return 0;
  },
};

function isAlgorithm(text: string): text is SigningAlgorithm {
  return (signingAlgorithms as readonly string[]).includes(text);
}

function openKeys(input: Input): { file: KeyFile; config: Config } {
  const { projectDir, dataDir } = placeOf(input);
  const { config, supabaseDir } = loadConfig({ projectDir });
  const mode = existsSync(join(dataDir, 'secrets.json')) ? 'production' : 'development';
  const file = keyFileOf({ signingKeysPath: config.auth.signing_keys_path, supabaseDir, dataDir, mode });
  if (file !== undefined) return { file, config };
  throw new CommandError(
    'This project signs with the well-known key of the local stack.',
    'For keys of its own set [auth] signing_keys_path in config.toml and run "plinth gen signing-key"; "plinth serve" makes them by itself.',
  );
}

function update(file: KeyFile, change: Parameters<KeyFile['update']>[0]): ReturnType<KeyFile['update']> {
  try {
    return file.update(change);
  } catch (error) {
    if (error instanceof KeyRefusal) throw new CommandError(error.message, error.advice);
    throw error;
  }
}
