/**
 * Creates files in the project folder: a migration that saves a change to the running database, with its entry in the
 * history, and a new function from a template.
 */
import { closeSync, lstatSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Queryable } from '../../platform/database/types.ts';
import { downFolder } from './down.ts';
import { readMigrationFolder } from './files.ts';
import { ensureHistory, insertApplied, selectApplied } from './queries.ts';

export interface WrittenMigration {
  readonly version: string;
  /** The path that messages show, in upstream's format: `supabase/migrations/20240101000000_add_todos.sql`. */
  readonly shownPath: string;
  /** Deletes the file. Called if the transaction that contains the history entry was rolled back. */
  discard(): void;
}

/**
 * Records the statements as applied, in the transaction that ran them, and writes the migration file. The file must not
 * exist yet. The file's version is the current time or, if there is a later version, one second after the latest
 * version, so the file comes last.
 * @param name The name, which consists of letters, digits, `_`, `.` and `-`.
 */
export async function writeMigration(
  tx: Queryable,
  supabaseDir: string,
  migration: {
    readonly name: string;
    readonly statements: readonly string[];
    /** The file's text. Defaults to the statements. */
    readonly text?: string;
    /** The text of the down script (`down.ts`). If undefined, no down script is written. */
    readonly down?: string | undefined;
    readonly now: number;
  },
): Promise<WrittenMigration> {
  const { name, statements, text, down, now } = migration;
  await ensureHistory(tx);
  const versions = [
    ...(await selectApplied(tx)).map(({ version }) => version),
    ...readMigrationFolder(supabaseDir).files.map(({ version }) => version),
  ];
  const version = versionAfter(versions, now);
  await insertApplied(tx, { version, name, statements });
  const dir = join(supabaseDir, 'migrations');
  const entry = `${version}_${name}.sql`;
  const written: string[] = [];
  const discard = (): void => {
    for (const path of written) rmSync(path, { force: true });
  };
  function write(folder: string, content: string): void {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, entry);
    const file = openSync(path, 'wx');
    written.push(path);
    try {
      writeFileSync(file, content);
    } finally {
      closeSync(file);
    }
  }
  try {
    write(dir, text ?? statements.map((statement) => `${statement};\n`).join('\n'));
    if (down !== undefined) write(downFolder(supabaseDir), down);
  } catch (error) {
    // An incomplete file, which can result from a full disk, would be applied at the next start.
    discard();
    throw error;
  }
  return { version, shownPath: `supabase/migrations/${entry}`, discard };
}

/** Returns a version in the form `YYYYMMDDhhmmss` (UTC) that is greater than all existing versions of this form. */
export function versionAfter(versions: readonly string[], now: number): string {
  const taken = new Set(versions);
  const newest = Math.max(0, ...versions.map(timeOf).filter((time) => Number.isFinite(time)));
  let time = Math.max(now, newest + 1000);
  while (taken.has(textOf(time))) time += 1000;
  return textOf(time);
}

const textOf = (time: number): string => new Date(time).toISOString().replaceAll(/\D/g, '').slice(0, 14);

function timeOf(version: string): number {
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(version);
  if (match === null) return Number.NaN;
  const [year = 0, month = 1, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Thrown if the function's folder already exists. */
export class FunctionExists extends Error {
  readonly dir: string;

  constructor(dir: string) {
    super(`${dir} already exists.`);
    this.dir = dir;
  }
}

const source = `// Called at /functions/v1/NAME, with a token unless verify_jwt is false in config.toml.
//   curl "$PLINTH_URL/functions/v1/NAME" -H "apikey: $PUBLISHABLE_KEY" \\
//     -H "content-type: application/json" -d '{"name":"Ada"}'
Deno.serve(async (request) => {
  const { name } = await request.json();
  return Response.json({ message: \`Hello \${name}!\` });
});
`;

/**
 * Creates `supabase/functions/NAME/index.ts` and `deno.json`. Returns the created file's path in the form that messages
 * show. The caller must have validated the name.
 * @throws {FunctionExists}, or the file system's error
 */
export function createFunction(supabaseDir: string, name: string): string {
  const dir = join(supabaseDir, 'functions', name);
  // A symbolic link counts as an existing file even if its target doesn't exist.
  if (lstatSync(dir, { throwIfNoEntry: false }) !== undefined) throw new FunctionExists(dir);
  mkdirSync(dirname(dir), { recursive: true });
  mkdirSync(dir);
  try {
    writeFileSync(join(dir, 'index.ts'), source.replaceAll('NAME', name));
    writeFileSync(join(dir, 'deno.json'), '{\n  "imports": {}\n}\n');
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
  return `supabase/functions/${name}`;
}
