/**
 * Compares the schemas of two databases for a command, and asks the user about possible renames. Renames can also be
 * given on the command line.
 */
import { createInterface } from 'node:readline/promises';
import { oneLine } from '../../base/shared/printable.ts';
import { loadConfig } from '../../platform/config/index.ts';
import {
  compareSnapshots,
  conceivableRenames,
  diffScript,
  type Rename,
  type SchemaDiff,
  type Snapshot,
} from '../../project/diff/index.ts';
import { type Option, UsageError } from './command.ts';
import { CommandError, describeError } from './errors.ts';
import { say } from './output.ts';
import { readSchema, type SchemaSource } from './schema-source.ts';

export const renameOption = {
  type: 'string',
  multiple: true,
  value: 'OLD=NEW',
  help: 'A table, column or other object that was renamed, such as public.notes=posts.',
} as const satisfies Option;

interface SchemaDiffOptions {
  readonly from: SchemaSource;
  readonly to: SchemaSource;
  readonly schemas: readonly string[];
  /** Pairs of an old and a new name, in the format of `--rename`. */
  readonly renames: readonly string[];
  /** The version of the hosted project's server if it lacks privileges that the embedded server has. */
  readonly targetVersion: number | undefined;
  /** Runs statements in the database `from`. This function is set only if `from` is a temporary database. */
  readonly rehearse?: ((text: string) => Promise<void>) | undefined;
  /**
   * Runs a script in another temporary database that is equal to `from`. This function is set if the SQL becomes a
   * migration, which must be applicable.
   */
  readonly applyToCopy?: ((text: string) => Promise<void>) | undefined;
}

/**
 * Returns the version in `[db] major_version` if tables have fewer privileges there than on the embedded server.
 * Otherwise the setting, which has a default, doesn't affect comparisons.
 */
export function hostedVersion(projectDir: string): number | undefined {
  const version = loadConfig({ projectDir }).config.db.major_version * 10_000;
  return version < 170_000 ? version : undefined;
}

/**
 * Returns the SQL that converts the schemas of `from` to the schemas of `to`, or an empty string if they are equal. If
 * `rehearse` is set, runs this SQL and appends statements for the remaining differences.
 *
 * @throws {CommandError} if `applyToCopy` is set and the SQL fails
 * @throws {DiffError}
 * @throws {UsageError}
 */
export async function schemaDiff(options: SchemaDiffOptions): Promise<string> {
  const { from, to, schemas, targetVersion, rehearse, applyToCopy } = options;
  const given = options.renames.map(parseRename);
  say(schemas.length === 0 ? 'Diffing schemas...' : `Diffing schemas: ${schemas.join(',')}`);
  const [before, after] = await Promise.all([readSchema(from), readSchema(to)]);
  const renamed = await withRenames(options, { before, after }, given);
  warnOfDrops(renamed.diff);
  const text = diffScript(renamed.diff);
  const all = [renamed.text, text].filter((each) => each !== '').join('\n');
  if (text === '' || rehearse === undefined) return all;
  try {
    await rehearse(text);
  } catch (error) {
    if (applyToCopy !== undefined) throw notApplicable(error);
    say(`WARNING: These statements fail in a database with the migrations:\n${describeError(error).message}`);
    return all;
  }
  const rest = compareSnapshots(await readSchema(from), after, { schemas, targetVersion });
  warnOfDrops(rest);
  const whole = [all, diffScript(rest)].filter((each) => each !== '').join('\n');
  // If the script consists of several parts, they have been run one after the other, but not as one migration.
  if (whole !== text)
    await applyToCopy?.(whole).catch((error: unknown) => {
      throw notApplicable(error);
    });
  return whole;
}

function notApplicable(error: unknown): CommandError {
  const { message, advice } = describeError(error);
  return new CommandError(
    'The changes fail in a database with the migrations, so no migration was written.',
    message,
    ...advice,
    'To print the statements, run "plinth db diff" without --file. Write the migration with the necessary additions.',
  );
}

interface Renamed {
  /** The statements that attach, detach and rename objects, or an empty string. */
  readonly text: string;
  readonly diff: SchemaDiff;
}

/**
 * Applies renames to a temporary database before the next comparison, so that PostgreSQL itself updates all references.
 * Afterward, the comparison can find more possible renames, for example of the columns of a renamed table.
 */
async function withRenames(
  { from, schemas, targetVersion, rehearse }: SchemaDiffOptions,
  { before, after }: { readonly before: Snapshot; readonly after: Snapshot },
  given: readonly Pick<Rename, 'from' | 'to'>[],
): Promise<Renamed> {
  const ask = askOnTerminal();
  const statements: string[] = [];
  let current = before;
  const read = async (): Promise<SchemaDiff> => {
    current = await readSchema(from);
    return compareSnapshots(current, after, { schemas, targetVersion });
  };
  let waiting = given;
  let diff = compareSnapshots(before, after, { schemas, targetVersion });
  if (rehearse !== undefined && diff.partitionMoves.length > 0) {
    statements.push(...(await runPossible(diff.partitionMoves, rehearse)));
    diff = await read();
  }
  for (;;) {
    const all = waiting.length === 0 ? [] : conceivableRenames(current.facts, after.facts);
    const { matched, unmatched } = matchRenames(waiting, all);
    const accepted = matched.length > 0 ? matched : await ask(diff.possibleRenames);
    if (accepted.length === 0 && unmatched.length > 0) throw unknownRename(unmatched, diff.possibleRenames);
    if (accepted.length === 0) return { text: statements.map((each) => `${each};\n`).join('\n'), diff };
    if (rehearse === undefined) {
      const renamed = compareSnapshots(before, after, { schemas, targetVersion, renames: accepted });
      const count = renamed.statements.filter(({ text }) =>
        / RENAME (TO|COLUMN|ATTRIBUTE) /.test(text),
      ).length;
      if (count >= accepted.length) return { text: '', diff: renamed };
      throw new UsageError(
        'To rename an object that has other changes, compare with the migrations: use --from migrations',
      );
    }
    await rehearse(accepted.map(({ statement }) => `${statement};`).join('\n'));
    statements.push(...accepted.map(({ statement }) => statement));
    waiting = unmatched;
    diff = await read();
  }
}

/**
 * Runs each statement and returns the statements that succeed. For example, attaching a table with different columns
 * fails.
 */
async function runPossible(
  statements: readonly string[],
  run: (text: string) => Promise<void>,
): Promise<string[]> {
  const succeeded: string[] = [];
  for (const statement of statements) {
    const isDone = await run(`${statement};`).then(
      () => true,
      () => false,
    );
    if (isDone) succeeded.push(statement);
  }
  return succeeded;
}

function unknownRename(
  [rename]: readonly Pick<Rename, 'from' | 'to'>[],
  possible: readonly Rename[],
): UsageError {
  const list = possible.map(({ from, to }) => `${from}=${to}`);
  return new UsageError(
    `--rename ${rename?.from}=${rename?.to}: the old object isn't removed, or the new one isn't added. ` +
      (list.length === 0 ? 'No rename is possible.' : `Possible: ${list.join(', ')}`),
  );
}

/** Asks about each rename only once. Without a terminal, doesn't rename anything. */
function askOnTerminal(): (candidates: readonly Rename[]) => Promise<Rename[]> {
  const asked = new Set<string>();
  return async (candidates) => {
    const open = candidates.filter(({ from, to }) => !asked.has(`${from}=${to}`));
    if (open.length === 0 || !process.stdin.isTTY) return [];
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    try {
      const accepted: Rename[] = [];
      for (const rename of open) {
        if (accepted.some(({ from, to }) => from === rename.from || to === rename.to)) continue;
        asked.add(`${rename.from}=${rename.to}`);
        const answer = await terminal.question(
          oneLine(`Was ${rename.kind} ${rename.from} renamed to ${rename.to}? [y/N] `),
        );
        if (/^y/i.test(answer.trim())) accepted.push(rename);
      }
      return accepted;
    } finally {
      terminal.close();
    }
  };
}

function warnOfDrops({ statements }: SchemaDiff): void {
  const drops = statements.filter(
    ({ text, isDestructive }) => isDestructive || /^(DROP|ALTER .* DROP) /.test(text),
  );
  if (drops.length === 0) return;
  say('Found drop statements in schema diff. Please double check if these are expected:');
  for (const { text, isDestructive } of drops) say(isDestructive ? `${text} (destructive)` : text);
}

type RenamePair = Pick<Rename, 'from' | 'to'>;

/** Parses `old=new`. Quoted names can contain the equals sign. @throws {UsageError} */
export function parseRename(text: string): RenamePair {
  const name = '((?:"(?:[^"]|"")*"|[^"=])+)';
  const [, from, to] = new RegExp(`^${name}=${name}$`).exec(text) ?? [];
  if (from === undefined || to === undefined)
    throw new UsageError(`--rename ${text}: write the old and the new name, such as public.notes=posts`);
  return { from: from.trim(), to: to.trim() };
}

/**
 * Returns the possible renames that match the given renames, and the given renames without a match. Names without a
 * schema refer to the schema `public`. The new name can omit the schema.
 * @example matchRenames([{ from: 'notes', to: 'posts' }], possible)
 */
export function matchRenames(
  given: readonly RenamePair[],
  possible: readonly Rename[],
): { readonly matched: Rename[]; readonly unmatched: RenamePair[] } {
  const matched: Rename[] = [];
  const unmatched: RenamePair[] = [];
  for (const pair of given) {
    const rename = possible.find(({ from, to }) => isOld(pair.from, from) && isNew(pair.to, to));
    if (rename === undefined) unmatched.push(pair);
    else matched.push(rename);
  }
  return { matched, unmatched };
}

const isOld = (given: string, name: string): boolean => name === given || name === `public.${given}`;
const isNew = (given: string, name: string): boolean => isOld(given, name) || lastOf(name) === given;
const lastOf = (name: string): string => /(?:"(?:[^"]|"")*"|[^".]+)$/.exec(name)?.[0] ?? name;
