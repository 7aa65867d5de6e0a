/**
 * Reads the user's package configuration for Python, so that packs are downloaded from the same index, through the same
 * proxy and with the same certificates and logins as with pip. The names and the order of precedence are those of pip 25: global,
 * user and environment (`VIRTUAL_ENV`) files, then `PIP_CONFIG_FILE`, then `PIP_*` variables.
 */
import { posix, win32 } from 'node:path';
import type { Environment } from '../packages/index.ts';
import { type NetrcLogin, parseNetrc } from './netrc.ts';

export interface PipConfiguration {
  /** The URLs of the indexes, without a slash at the end. Empty with `no-index`. */
  readonly indexes: readonly string[];
  /** Folders and pages that contain wheels (`find-links`). */
  readonly links: readonly string[];
  /** The path of a file with certificate authorities. */
  readonly certificates: string | undefined;
  readonly proxy: string | undefined;
  /** The logins in the user's netrc file, by host. */
  readonly logins: ReadonlyMap<string, NetrcLogin>;
}

interface Machine {
  readonly os: string;
  readonly home: string;
  readonly env: Environment;
  /** Returns the text of a file, or undefined if it can't be read. */
  readonly read: (path: string) => string | undefined;
}

const defaultIndex = 'https://pypi.org/simple';

export function pipConfiguration(machine: Machine): PipConfiguration {
  const { env } = machine;
  const files = new Map<string, string>();
  for (const path of configurationFiles(machine))
    for (const [name, value] of parseConfiguration(machine.read(path) ?? '')) files.set(name, value);
  const value = (name: string): string | undefined =>
    env[`PIP_${name.toUpperCase().replaceAll('-', '_')}`] || files.get(name);
  const list = (name: string): string[] => (value(name) ?? '').split(/\s+/).filter((each) => each !== '');
  const isOffline = /^(1|true|yes|on)$/i.test(value('no-index') ?? '');
  const indexes = isOffline ? [] : [value('index-url') ?? defaultIndex, ...list('extra-index-url')];
  return {
    indexes: indexes.map((url) => url.trim().replace(/\/+$/, '')),
    links: list('find-links'),
    certificates: value('cert') ?? env.REQUESTS_CA_BUNDLE ?? env.CURL_CA_BUNDLE ?? env.SSL_CERT_FILE,
    proxy: value('proxy'),
    logins: parseNetrc(netrcText(machine) ?? ''),
  };
}

/** Returns the text of the file in NETRC, or of the first file that exists in the home folder. */
function netrcText({ os, home, env, read }: Machine): string | undefined {
  if (env.NETRC) return read(env.NETRC);
  const { join } = os === 'win32' ? win32 : posix;
  return read(join(home, '.netrc')) ?? read(join(home, '_netrc'));
}

/** Returns the paths of the configuration files. Later files override earlier files. */
function configurationFiles({ os, home, env }: Machine): string[] {
  const own = env.PIP_CONFIG_FILE;
  // pip ignores all files if the variable is the name of the null device.
  if (own === '/dev/null' || own === 'nul') return [];
  const { join } = os === 'win32' ? win32 : posix;
  const name = os === 'win32' ? 'pip.ini' : 'pip.conf';
  const venv = env.VIRTUAL_ENV;
  return [
    ...systemFolders(os, env).map((folder) => join(folder, name)),
    ...userFolders({ os, home, env }).map((folder) => join(folder, name)),
    ...(venv ? [join(venv, name)] : []),
    ...(own ? [own] : []),
  ];
}

function systemFolders(os: string, env: Environment): string[] {
  if (os === 'win32') return [win32.join(env.PROGRAMDATA ?? 'C:\\ProgramData', 'pip')];
  if (os === 'darwin') return ['/Library/Application Support/pip'];
  const shared = (env.XDG_CONFIG_DIRS || '/etc/xdg').split(':').filter((each) => each !== '');
  return [...shared.map((folder) => posix.join(folder, 'pip')), '/etc'];
}

function userFolders({ os, home, env }: Omit<Machine, 'read'>): string[] {
  if (os === 'win32')
    return [
      win32.join(home, 'pip'),
      win32.join(env.APPDATA ?? win32.join(home, 'AppData', 'Roaming'), 'pip'),
    ];
  const config = env.XDG_CONFIG_HOME || posix.join(home, '.config');
  const library = os === 'darwin' ? [posix.join(home, 'Library', 'Application Support', 'pip')] : [];
  return [posix.join(home, '.pip'), posix.join(config, 'pip'), ...library];
}

/**
 * Parses the sections `[global]` and `[download]` of a configuration file. Lines that begin with white space continue
 * the value of the previous line.
 */
export function parseConfiguration(text: string): Map<string, string> {
  const sections = new Map<string, Map<string, string>>();
  let section = new Map<string, string>();
  let last: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    if (/^\s*([#;]|$)/.test(line)) continue;
    const header = /^\[([^\]]+)\]/.exec(line)?.[1];
    if (header !== undefined) {
      section = sections.get(header) ?? new Map();
      sections.set(header, section);
      last = undefined;
      continue;
    }
    const [, name, value] = /^([^\s=:][^=:]*?)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined) {
      last = name.toLowerCase().replaceAll('_', '-');
      section.set(last, value ?? '');
    } else if (last !== undefined) section.set(last, `${section.get(last)} ${line.trim()}`);
  }
  return new Map([...(sections.get('global') ?? []), ...(sections.get('download') ?? [])]);
}
