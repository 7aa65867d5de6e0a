/** The function secrets of a project that commands send to a server. */
import { resolve } from 'node:path';
import { readTextFile } from '../../../base/shared/files.ts';
import { type Config, parseDotenv } from '../../../platform/config/index.ts';
import { CommandError } from '../errors.ts';
import { say } from '../output.ts';

export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** A secret on a server. */
export interface SecretFields {
  readonly name: string;
  /** The SHA-256 hash of the secret's value. Empty if the token's role isn't allowed to see hashes. */
  readonly value: string;
  readonly updated_at?: string;
}

const reserved = 'SUPABASE_';

/**
 * Returns the secrets in `[edge_runtime.secrets]`, in a `.env` file and in `pairs` (NAME=VALUE). Pairs override the file,
 * and the file overrides config.toml.
 *
 * @throws {CommandError} if the file can't be read or a pair is invalid
 */
export function secretsFrom(
  config: Pick<Config, 'edge_runtime'>,
  file: string | undefined,
  pairs: readonly string[] = [],
): Secret[] {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(config.edge_runtime.secrets))
    if (value !== undefined && value !== '') found.set(name.toUpperCase(), value);
  if (file !== undefined) for (const [name, value] of Object.entries(readEnv(file))) found.set(name, value);
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at <= 0) throw new CommandError('Invalid secret pair. Must be NAME=VALUE.');
    found.set(pair.slice(0, at), pair.slice(at + 1));
  }
  return [...found].flatMap(([name, value]) => {
    if (!name.startsWith(reserved)) return [{ name, value }];
    say(`Env name cannot start with ${reserved}, skipping: ${name}`);
    return [];
  });
}

function readEnv(file: string): Record<string, string> {
  try {
    return Object.fromEntries(parseDotenv(readTextFile(resolve(file)), file));
  } catch (error) {
    throw new CommandError(`failed to open env file: ${(error as Error).message}`);
  }
}
