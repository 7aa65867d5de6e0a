/** Checks whether passwords have been leaked, using a service or a file specified in the project's settings. */
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Outgoing } from '../../../base/shared/network/outgoing.ts';
import { leakHashOf, listHolds, rangeHolds, rangePrefixChars } from './leaked-range.ts';

export interface LeakedPasswords {
  /** Returns whether the password has been leaked. Rejects if the service or file can't be read. */
  has(password: string): Promise<boolean>;
}

export interface LeakedPasswordSettings {
  readonly url: string;
  readonly user_agent: string;
  readonly list_path: string | undefined;
}

/**
 * The timeout of a leak check, which is the same as in upstream. This timeout limits how long a check can delay a
 * sign-up.
 */
const leakCheckTimeoutMs = 5000;

/** The default path of the list of leaked passwords, relative to the project folder. */
const defaultList = 'supabase/leaked-passwords.txt';

/**
 * Returns the leak check, or undefined if the settings don't enable it. By default, passwords are checked if the
 * default list exists. The service is used only if the project enables the check and has no list.
 */
export function leakedPasswordsOf(
  settings: LeakedPasswordSettings & { readonly enabled: boolean | undefined },
  projectDir: string,
  outgoing: Outgoing,
): LeakedPasswords | undefined {
  const ownList = join(projectDir, defaultList);
  const list_path = settings.list_path ?? (existsSync(ownList) ? ownList : undefined);
  const isEnabled = settings.enabled ?? list_path !== undefined;
  return isEnabled ? createLeakedPasswords({ ...settings, list_path }, outgoing) : undefined;
}

function createLeakedPasswords(
  { url, user_agent, list_path }: LeakedPasswordSettings,
  outgoing: Outgoing,
): LeakedPasswords {
  if (list_path !== undefined) return { has: (password) => isInFile(list_path, leakHashOf(password)) };
  return {
    async has(password) {
      const hash = leakHashOf(password);
      const response = await outgoing.send({
        url: `${url.replace(/\/+$/, '')}/range/${hash.slice(0, rangePrefixChars)}`,
        reach: 'configured',
        // Padding conceals the response's actual size, because the size would reveal the requested range.
        headers: { accept: 'text/plain', 'user-agent': user_agent, 'add-padding': 'true' },
        timeoutMs: leakCheckTimeoutMs,
      });
      if (response.status !== 200) throw new Error(`${url} responded with status ${response.status}`);
      return rangeHolds(response.text, hash);
    },
  };
}

async function isInFile(path: string, hash: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const read = async (position: number, length: number): Promise<Buffer> => {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
      return buffer.subarray(0, bytesRead);
    };
    return await listHolds({ sizeBytes: size, read }, hash);
  } finally {
    await file.close();
  }
}
