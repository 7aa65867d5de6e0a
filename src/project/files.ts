/** Reads the files in the user's `supabase/` folder from which the database is created. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { SqlText } from './core/missing.ts';

/**
 * Returns the closest folder that contains `supabase/`, starting at `from` and searching upward. Returns undefined if
 * there is none.
 *
 * @example findProjectDir('/home/ada/app/src') // '/home/ada/app'
 */
export function findProjectDir(from: string): string | undefined {
  for (let dir = resolve(from); ; dir = dirname(dir)) {
    const supabase = join(dir, 'supabase');
    const marks = ['config.toml', 'config.json', 'config.jsonc', 'plinth.toml', 'migrations'];
    if (marks.some((mark) => existsSync(join(supabase, mark)))) return dir;
    if (dirname(dir) === dir) return undefined;
  }
}

export interface MigrationFile {
  readonly version: string;
  readonly name: string;
  readonly path: string;
  /** The path that messages show, in upstream's format: `supabase/migrations/20240101000000_init.sql`. */
  readonly shownPath: string;
}

export interface MigrationFolder {
  /** The files, sorted by name. */
  readonly files: readonly MigrationFile[];
  /** A sentence about each file that was skipped. */
  readonly notes: readonly string[];
}

/**
 * Whether this is the first migration that CLIs before December 2021 wrote for the service itself. As in upstream, this
 * is only the first entry in the folder, and only if its timestamp has 14 digits. `001_init.sql`, for example, belongs
 * to the user.
 */
function isServicesInit(entry: string): boolean {
  const time = /(\d{14})_init\.sql/.exec(entry)?.[1];
  return time !== undefined && time < '20211209000000';
}

export function readMigrationFolder(supabaseDir: string): MigrationFolder {
  const dir = join(supabaseDir, 'migrations');
  const files: MigrationFile[] = [];
  const notes: string[] = [];
  for (const [index, { name: entry, isFolder }] of entriesOf(dir).entries()) {
    if (isFolder || (entry.startsWith('.') && !entry.endsWith('.sql'))) continue;
    const shownPath = `supabase/migrations/${entry}`;
    const match = /^(\d+)_(.*)\.sql$/.exec(entry);
    if (match === null) {
      notes.push(`Skipping ${shownPath}: migration files must be named <timestamp>_name.sql.`);
      continue;
    }
    if (index === 0 && isServicesInit(entry)) {
      notes.push(
        `Skipping ${shownPath}: an early version of upstream's CLI generated this file. Rename it to apply it.`,
      );
      continue;
    }
    const [, version = '', name = ''] = match;
    files.push({ version, name, path: join(dir, entry), shownPath });
  }
  return { files, notes };
}

export interface NewFile extends MigrationFile {
  readonly exists: boolean;
}

/** Returns the file for a baseline. Its version comes before all others when they are sorted. */
export function baselineFileOf(supabaseDir: string): NewFile {
  const { files } = readMigrationFolder(supabaseDir);
  const name = 'baseline';
  const first = files.find((file) => file.name !== name)?.version ?? '20000101000000';
  // When names are sorted, `0000_` comes before `000_`.
  const version = '0'.repeat(/^0+$/.test(first) ? first.length + 1 : first.length);
  const entry = `${version}_${name}.sql`;
  const path = join(supabaseDir, 'migrations', entry);
  return { version, name, path, shownPath: `supabase/migrations/${entry}`, exists: existsSync(path) };
}

function entriesOf(dir: string): { readonly name: string; readonly isFolder: boolean }[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { withFileTypes: true })
    .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Reads a SQL file. Editors on Windows can save UTF-16, which PostgreSQL doesn't accept. Such a file begins with a byte
 * order mark.
 */
export function readSql(path: string): string {
  const content = readFileSync(path);
  return content.toString(content[0] === 0xff && content[1] === 0xfe ? 'utf16le' : 'utf8');
}

export interface SeedFile {
  readonly path: string;
  /** The path that messages and upstream's table contain, such as `supabase/seed.sql`. */
  readonly shownPath: string;
  /** The SHA-256 hash of the content, in hexadecimal. */
  readonly hash: string;
  readonly text: string;
}

/**
 * Returns the files that match the glob patterns, in the order of the patterns. The matches of each pattern are sorted,
 * and duplicates are removed.
 */
export function readSeedFiles(
  supabaseDir: string,
  globs: readonly string[],
): { readonly files: readonly SeedFile[]; readonly notes: readonly string[] } {
  const found = new Map<string, SeedFile>();
  const notes: string[] = [];
  for (const glob of globs) {
    const matches = globSync(glob, { cwd: supabaseDir }).sort();
    if (matches.length === 0) notes.push(`No seed file matches ${glob}.`);
    for (const match of matches) {
      const path = resolve(supabaseDir, match);
      if (found.has(path)) continue;
      const text = readSql(path);
      const shownPath = relative(dirname(supabaseDir), path).replaceAll('\\', '/');
      found.set(path, { path, shownPath, hash: createHash('sha256').update(text).digest('hex'), text });
    }
  }
  return { files: [...found.values()], notes };
}

/** Returns the text of `supabase/roles.sql`, if it exists. */
export function readRolesFile(supabaseDir: string): string | undefined {
  const path = join(supabaseDir, 'roles.sql');
  return existsSync(path) ? readSql(path) : undefined;
}

/**
 * Returns all files that create the schema of the database, in the order in which they are applied. Seeds aren't
 * included, because they only insert data.
 */
export function readSources(supabaseDir: string): SqlText[] {
  const roles = readRolesFile(supabaseDir);
  return [
    ...(roles === undefined ? [] : [{ shownPath: 'supabase/roles.sql', text: roles }]),
    ...readMigrationFolder(supabaseDir).files.map(({ shownPath, path }) => ({
      shownPath,
      text: readSql(path),
    })),
  ];
}
