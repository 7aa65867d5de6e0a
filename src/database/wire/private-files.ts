/**
 * Reads files that contain secrets: the password file and the key for a client certificate. Other users must not be
 * able to read these files.
 */
import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';

export interface PasswordFor {
  /** The host as in the connection string. A default folder of a Unix socket counts as `localhost`. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** The default socket folders in builds of libpq. The password file uses `localhost` for them. */
const USUAL_SOCKET_FOLDERS: readonly string[] = ['/tmp', '/var/run/postgresql', '/run/postgresql'];

/**
 * Returns the password from the first line that matches, or undefined. The format of a line is
 * `hostname:port:database:username:password`. `*` matches everything, and `\` escapes a colon or itself (PostgreSQL
 * documentation, 32.16). Throws if other users can read the file.
 */
export async function readPassword(path: string, wanted: PasswordFor): Promise<string | undefined> {
  const text = await readPrivate(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '';
    throw error;
  });
  return findPassword(text, wanted);
}

/** Host, port, database, user, password. */
const LINE = /^((?:[^\\:]|\\.)*):((?:[^\\:]|\\.)*):((?:[^\\:]|\\.)*):((?:[^\\:]|\\.)*):(.*)$/;

const unescaped = (field: string): string => field.replace(/\\(.)/g, '$1');

export function findPassword(text: string, { host, port, database, user }: PasswordFor): string | undefined {
  const hosts = USUAL_SOCKET_FOLDERS.includes(host) ? [host, 'localhost'] : [host];
  const wanted = [hosts, [String(port)], [database], [user]];
  for (const line of text.split(/\r?\n/)) {
    const fields = line.startsWith('#') ? undefined : LINE.exec(line)?.slice(1);
    if (fields === undefined) continue;
    const fits = wanted.every((values, place) => {
      const field = fields[place] as string;
      return field === '*' || values.includes(unescaped(field));
    });
    if (fits) return unescaped(fields[4] as string);
  }
  return undefined;
}

/** Throws if the file can't be read, or if users other than its owner can read it. */
export async function readPrivate(path: string): Promise<string> {
  const found = await stat(path);
  if (isOpenToOthers(found)) {
    throw new Error(`${path} can be read by others than its owner. Make it private with: chmod 600 ${path}`);
  }
  return readFile(path, 'utf8');
}

/** libpq's rule, which allows the group to read a file that is owned by root. */
const isOpenToOthers = ({ mode, uid }: Stats): boolean => (mode & (uid === 0 ? 0o037 : 0o077)) !== 0;
