/**
 * Finds extensions in the folders that the operator names (`[database] extension_folders` in plinth.toml). A folder is
 * either a pack (`extension/` and `lib/`) or an installation of PostgreSQL 18: that of Debian or PGDG
 * (`/usr/lib/postgresql/18`), that of Homebrew (`/opt/homebrew/opt/postgresql@18`), or the path of `pg_config`.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { DatabaseError } from '../errors.ts';
import { allowedExtensions } from '../extensions/trusted.ts';

export interface NamedFolder {
  /** The path as the operator wrote it. */
  readonly named: string;
  /** The folder with control files and scripts. */
  readonly scripts: string;
  /** The folder with libraries. */
  readonly libraries: string;
  /** The names of the extensions that projects may create from this folder. */
  readonly extensions: readonly string[];
}

/**
 * Extensions that Plinth always provides itself, because its own processes do their work (sending requests, scheduling
 * jobs, storing the key of the vault).
 */
const ownAlways: ReadonlySet<string> = new Set(['http', 'pg_cron', 'pg_net', 'supabase_vault']);

/** Libraries that PostgreSQL must load when it starts, by the name of the extension. */
const preloaded: Readonly<Record<string, string>> = {
  pg_stat_monitor: 'pg_stat_monitor',
  pg_tle: 'pg_tle',
  pgaudit: 'pgaudit',
  timescaledb: 'timescaledb',
};

/**
 * Returns the folders in the order in which they are searched. An extension belongs to the first folder that contains
 * it.
 *
 * @param stock the names of the extensions in the embedded PostgreSQL, which other versions of PostgreSQL can't replace
 * @throws {DatabaseError} extension_folder
 */
export function readNamedFolders(
  folders: readonly string[],
  stock: ReadonlySet<string>,
  major: number,
): readonly NamedFolder[] {
  const taken = new Set<string>();
  return folders.map((named) => {
    const place = locate(named, major);
    const extensions = readdirSync(place.scripts)
      .flatMap((file) => (file.endsWith('.control') ? [file.slice(0, -'.control'.length)] : []))
      .filter((name) => allowedExtensions.has(name) && !stock.has(name) && !ownAlways.has(name))
      .filter((name) => !taken.has(name))
      .sort();
    for (const name of extensions) taken.add(name);
    return { named, ...place, extensions };
  });
}

/** Returns the libraries that PostgreSQL must load when it starts. */
export const preloadedLibraries = (folders: readonly NamedFolder[]): readonly string[] =>
  folders.flatMap(({ extensions }) => extensions.flatMap((name) => preloaded[name] ?? []));

type Place = Pick<NamedFolder, 'scripts' | 'libraries'>;

function locate(named: string, major: number): Place {
  const fail = (reason: string): never => {
    throw new DatabaseError('extension_folder', { dir: named, reason });
  };
  if (!isAbsolute(named)) fail("the path isn't absolute");
  const stat = statSync(named, { throwIfNoEntry: false });
  if (stat === undefined) return fail("it doesn't exist");
  const place = stat.isDirectory() ? inFolder(named, major) : byPgConfig(named, major);
  if (place === undefined)
    return fail(`it contains neither extension/ and lib/ nor an installation of PostgreSQL ${major}`);
  for (const folder of [place.scripts, place.libraries]) {
    // The character separates the paths of a setting and can't be escaped.
    if (folder.includes(delimiter)) fail(`the path contains "${delimiter}"`);
    try {
      accessSync(folder, constants.R_OK);
    } catch {
      fail(`${folder} can't be read`);
    }
  }
  return place;
}

function inFolder(folder: string, major: number): Place | undefined {
  const pack = { scripts: join(folder, 'extension'), libraries: join(folder, 'lib') };
  if (isPlace(pack)) return pack;
  const debian = /^(.*)\/lib\/postgresql\/(\d+)\/?$/.exec(folder);
  if (debian !== null && Number(debian[2]) === major) {
    const place = {
      scripts: `${debian[1]}/share/postgresql/${major}/extension`,
      libraries: join(folder, 'lib'),
    };
    if (isPlace(place)) return place;
  }
  const program = join(folder, 'bin', process.platform === 'win32' ? 'pg_config.exe' : 'pg_config');
  return existsSync(program) ? byPgConfig(program, major) : undefined;
}

const isPlace = ({ scripts, libraries }: Place): boolean => existsSync(scripts) && existsSync(libraries);

/** Asks pg_config, whose version must be the major version of the embedded PostgreSQL. */
function byPgConfig(program: string, major: number): Place | undefined {
  if (!/pg_config(\.exe)?$/.test(program)) return undefined;
  const { stdout, status } = spawnSync(program, ['--version', '--sharedir', '--pkglibdir'], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  const [version = '', share = '', libraries = ''] = (stdout ?? '').split(/\r?\n/);
  if (status !== 0 || !version.startsWith(`PostgreSQL ${major}`)) return undefined;
  const place = { scripts: join(share, 'extension'), libraries };
  return isPlace(place) ? place : undefined;
}

/** The total size of update scripts up to which all of them are copied. */
const maxUpdateBytes = 2 * 1024 ** 2;

/**
 * Returns the names of an extension's scripts. If there are many, such as in PostGIS, returns only the scripts that
 * create or update to the version in the control file.
 */
export function scriptsOf({ scripts }: NamedFolder, name: string, version: string | undefined): string[] {
  const all = readdirSync(scripts).filter((file) => file.startsWith(`${name}--`) && file.endsWith('.sql'));
  const bytes = all.reduce((sum, file) => sum + statSync(join(scripts, file)).size, 0);
  const direct = all.filter((file) => file.endsWith(`--${version}.sql`));
  return bytes <= maxUpdateBytes || !direct.includes(`${name}--${version}.sql`) ? all : direct;
}

/** Returns values that change if the files in the folders change. */
export const stampOfFolders = (folders: readonly NamedFolder[]): readonly unknown[] =>
  folders.map(({ named, scripts, extensions }) => [
    named,
    scripts,
    extensions.map((name) => {
      const text = readFileSync(join(scripts, `${name}.control`), 'utf8');
      return [name, text, statSync(join(scripts, `${name}.control`)).mtimeMs];
    }),
  ]);
