/**
 * Reads the logins in a netrc file, which pip uses for indexes whose URL contains no login. The syntax is that of
 * Python's module `netrc`.
 */

export interface NetrcLogin {
  readonly login: string;
  readonly password: string;
}

/** The name of the entry for all other hosts. */
export const anyHost = '';

/**
 * Returns the logins by host name. An invalid file counts as empty, as with pip.
 *
 * @example parseNetrc('machine pypi.example login ada password secret').get('pypi.example')
 */
export function parseNetrc(text: string): ReadonlyMap<string, NetrcLogin> {
  const logins = new Map<string, NetrcLogin>();
  const reader = createReader(text);
  let host: string | undefined;
  let entry = { login: '', account: '', password: '' };
  const finish = (): void => {
    // The account replaces a missing login, as in the client library of pip.
    if (host !== undefined && !logins.has(host))
      logins.set(host, { login: entry.login || entry.account, password: entry.password });
    host = undefined;
    entry = { login: '', account: '', password: '' };
  };
  for (let word = reader.keyword(); word !== undefined; word = reader.keyword()) {
    switch (word) {
      case 'machine':
        finish();
        host = reader.value()?.toLowerCase() || undefined;
        break;
      case 'default':
        finish();
        host = anyHost;
        break;
      case 'macdef':
        finish();
        reader.skipMacro();
        break;
      case 'login':
      case 'user':
        entry.login = reader.value() ?? '';
        break;
      case 'account':
      case 'password':
        entry[word] = reader.value() ?? '';
        break;
      default:
        return new Map();
    }
  }
  finish();
  return logins;
}

function createReader(text: string) {
  let at = 0;
  const token = (): string | undefined => {
    const found = /\s*("(?:[^"\\]|\\.)*"|(?:[^\s\\"]|\\.)(?:[^\s\\]|\\.)*)/sy;
    found.lastIndex = at;
    const [all = '', raw] = found.exec(text) ?? [];
    if (raw === undefined) {
      at = text.length;
      return undefined;
    }
    at += all.length;
    return (raw.startsWith('"') ? raw.slice(1, -1) : raw).replaceAll(/\\(.)/gs, '$1');
  };
  return {
    /** Returns the next word, without comments. */
    keyword(): string | undefined {
      for (let word = token(); word !== undefined; word = token()) {
        if (!word.startsWith('#')) return word;
        const end = text.indexOf('\n', at);
        at = end === -1 ? text.length : end;
      }
      return undefined;
    },
    value: token,
    /** A macro ends with an empty line. */
    skipMacro(): void {
      const end = /\n[ \t]*\r?\n/g;
      end.lastIndex = at;
      const found = end.exec(text);
      at = found === null ? text.length : found.index + found[0].length;
    },
  };
}
