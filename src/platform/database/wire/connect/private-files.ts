/**
 * Reads files that contain secrets, such as the password file and the key for a client certificate. A file is rejected
 * if other users can read it.
 */
import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';

interface PasswordFor {
  /** The host in the connection string. Entries for `localhost` also match a default Unix socket folder. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/**
 * The default folders for Unix sockets in different builds of libpq. Entries for `localhost` in the password file also
 * apply to these folders.
 */
const USUAL_SOCKET_FOLDERS: readonly string[] = ['/tmp', '/var/run/postgresql', '/run/postgresql'];

/**
 * Returns the password in the first line that matches, or undefined if no line matches. A line has the format
 * `hostname:port:database:username:password`. The field `*` matches every value, and a backslash escapes a colon or a
 * backslash (PostgreSQL documentation, 32.16). Throws an error if other users can read the file.
 */
export async function readPassword(path: string, expected: PasswordFor): Promise<string | undefined> {
  const text = await readPrivate(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '';
    throw error;
  });
  return findPassword(text, expected);
}

/** Matches a line that consists of the fields host, port, database, user and password. */
const LINE = /^((?:[^\\:]|\\.)*):((?:[^\\:]|\\.)*):((?:[^\\:]|\\.)*):((?:[^\\:]|\\.)*):(.*)$/;

const unescaped = (field: string): string => field.replace(/\\(.)/g, '$1');

export function findPassword(text: string, { host, port, database, user }: PasswordFor): string | undefined {
  const hosts = USUAL_SOCKET_FOLDERS.includes(host) ? [host, 'localhost'] : [host];
  const expected = [hosts, [String(port)], [database], [user]];
  for (const line of text.split(/\r?\n/)) {
    const fields = line.startsWith('#') ? undefined : LINE.exec(line)?.slice(1);
    if (fields === undefined) continue;
    const fits = expected.every((values, index) => {
      const field = fields[index] as string;
      return field === '*' || values.includes(unescaped(field));
    });
    if (fits) return unescaped(fields[4] as string);
  }
  return undefined;
}

/**
 * Reads a file that contains a secret. Throws an error if the file can't be read or if users other than its owner can
 * read it.
 */
export async function readPrivate(path: string): Promise<string> {
  const found = await stat(path);
  if (isOpenToOthers(found)) {
    throw new Error(
      `Users other than the owner can read ${path}. To make the file private, run: chmod 600 ${path}`,
    );
  }
  return readFile(path, 'utf8');
}

/**
 * Whether users other than the owner can read the file. As in libpq, if root owns the file, its group may also read it.
 */
const isOpenToOthers = ({ mode, uid }: Stats): boolean => (mode & (uid === 0 ? 0o037 : 0o077)) !== 0;
