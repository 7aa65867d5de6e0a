/**
 * Finds the group's secret. It is specified by the environment variable PLINTH_SECRET, or by a file that
 * PLINTH_SECRET_FILE names. Otherwise, the first node generates it in its data folder.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../base/kernel/replace-file.ts';
import { GroupJoinError } from './errors.ts';

export const secretFileName = 'group.secret';
const minChars = 32;

/** Returns undefined if no secret is set and none was generated. @throws {GroupJoinError} if the secret is too short */
export function findSecret(
  environment: Readonly<Record<string, string | undefined>>,
  dataDir: string,
): string | undefined {
  const { PLINTH_SECRET: given, PLINTH_SECRET_FILE: file } = environment;
  if (given !== undefined && given !== '') return checked(given, 'PLINTH_SECRET');
  if (file !== undefined && file !== '') return checked(read(file), `The file ${file} (PLINTH_SECRET_FILE)`);
  const generated = join(dataDir, secretFileName);
  return existsSync(generated) ? checked(read(generated), `The file ${generated}`) : undefined;
}

/** Generates a secret in the data folder. */
export function generateSecret(dataDir: string): string {
  const secret = randomBytes(32).toString('base64url');
  replaceFile(join(dataDir, secretFileName), `${secret}\n`);
  return secret;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new GroupJoinError(
      `The secret of the nodes can't be read from ${file}: ${(error as Error).message}`,
      'Check the path in PLINTH_SECRET_FILE and the permissions of the file.',
    );
  }
}

function checked(secret: string, source: string): string {
  if (secret.length >= minChars) return secret;
  throw new GroupJoinError(
    `${source} must contain at least ${minChars} characters.`,
    'Generate a secret with "openssl rand -base64 32", and use the same secret on every node.',
  );
}
