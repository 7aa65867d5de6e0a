/** Defines which names and values a secret can have. The limits are the same as in upstream's Management API. */
import { DeployError } from '../errors.ts';

export const maxSecrets = 100;
const maxNameChars = 256;
const maxValueBytes = 24 * 1024;

/** Checks a secret's name and value. @throws {DeployError} invalid */
export function checkSecret({ name, value }: { readonly name: string; readonly value: string }): void {
  if (name.length > maxNameChars || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw new DeployError(
      'invalid',
      `The secret name ${JSON.stringify(name.slice(0, 100))} must consist of letters, digits and underscores, and can't begin with a digit.`,
    );
  if (name.startsWith('SUPABASE_'))
    throw new DeployError('invalid', `Secret name must not start with the SUPABASE_ prefix: ${name}`);
  if (controlsRuntime(name))
    throw new DeployError(
      'invalid',
      `${name} would change how functions are started, so it can't be a secret.`,
    );
  if (Buffer.byteLength(value) > maxValueBytes)
    throw new DeployError('invalid', `The secret ${name} is longer than ${maxValueBytes / 1024} KiB.`);
  if (value.includes('\0')) throw new DeployError('invalid', `The secret ${name} contains a null character.`);
}

/**
 * Variables that Deno, the shell, the operating system's loader or Plinth's adapter read before the function runs. By
 * setting these variables, a project could load native code from a deployed file or use the machine's credentials
 * (`HOME/.npmrc`).
 */
const startup =
  /^(?:LD_|DYLD_|DENO_|PLINTH_|GLIBC_|XDG_|GCONV_PATH$|NODE_OPTIONS$|NODE_CHANNEL_FD$|BASH_ENV$|BASHOPTS$|SHELLOPTS$|PATH$|HOME$|USERPROFILE$|IFS$)/i;

const controlsRuntime = (name: string): boolean => startup.test(name) && name !== 'DENO_AUTH_TOKENS';
