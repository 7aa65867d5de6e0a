/** Creates migration files. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './command.ts';
import { CommandError } from './errors.ts';

export interface NewMigration {
  readonly version: string;
  readonly path: string;
  /** The path that messages show, such as `supabase/migrations/20240101000000_init.sql`. */
  readonly shownPath: string;
}

/**
 * Returns the file for a migration that is created at this time. If another migration was created in the same second, the
 * version is the next free one, because a migration whose version has been applied is skipped.
 * @throws {UsageError} if the name can't be part of a file name
 */
export function newMigration(projectDir: string, given: string): NewMigration {
  const name = given.trim().replaceAll(' ', '_');
  if (!/^[\w.-]+$/.test(name))
    throw new UsageError(`${name}: a name can contain only letters, digits, _ . and -`);
  const folder = join(projectDir, 'supabase', 'migrations');
  const taken = new Set(existsSync(folder) ? readdirSync(folder).map((file) => /^\d*/.exec(file)?.[0]) : []);
  const time = new Date();
  const format = (): string => time.toISOString().replace(/\D/g, '').slice(0, 14);
  while (taken.has(format())) time.setUTCSeconds(time.getUTCSeconds() + 1);
  const version = format();
  const entry = `${version}_${name}.sql`;
  return {
    version,
    path: join(folder, entry),
    shownPath: `supabase/migrations/${entry}`,
  };
}

/** Writes the migration. @throws {CommandError} if the file already exists */
export function writeMigration({ path }: NewMigration, text: string): void {
  if (existsSync(path)) throw new CommandError(`${path} already exists.`);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}
