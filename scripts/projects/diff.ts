/**
 * Compares an empty database with the migrations of public projects, applies the difference, and checks that both
 * databases are then equal. The databases are equal if a new comparison finds no differences and their catalogs are
 * identical. Then repeats the check in the other direction, from the migrated database to the empty one.
 *
 * node scripts/projects/diff.ts CHECKOUTS [--list FILE] [--only OWNER/NAME …] [--limit 30] [--max-files 400] [--json
 * FILE]
 *
 * CHECKOUTS is the folder that `run.ts` uses. The list contains projects whose migrations succeed. Default:
 * `diff-list.txt`.
 */
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { createScratchDatabases, type ScratchDatabases } from '../../src/entry/cli/shadow.ts';
import type { Backend } from '../../src/entry/main.ts';
import { loadConfig } from '../../src/platform/config/index.ts';
import {
  type ConnectionOptions,
  openCopySession,
  parseConnectionString,
} from '../../src/platform/database/index.ts';
import { stableText } from '../../src/project/diff/core/normalize.ts';
import {
  compareSnapshots,
  type DiffStatement,
  diffScript,
  readSnapshot,
} from '../../src/project/diff/index.ts';
import { applyProjectMigrations, type ProjectDeps, runAsMigration } from '../../src/project/folder/index.ts';
import { readFingerprint } from '../../test/dump/fingerprint.ts';
import { type Project, readProjects } from './read-lists.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    list: { type: 'string' },
    limit: { type: 'string', default: '30' },
    'max-files': { type: 'string', default: '400' },
    json: { type: 'string' },
    sql: { type: 'string' },
  },
});
const [checkouts] = positionals;
if (checkouts === undefined) throw new Error('Specify the folder that contains the checkouts.');

interface Outcome {
  readonly name: string;
  readonly result: string;
  readonly statements?: number;
  readonly snapshotMs?: number;
  readonly problems?: readonly string[];
}

const outcomes: Outcome[] = [];
const migrationsOf = ({ name, folder }: Project): string =>
  join(checkouts, name, folder, 'supabase', 'migrations');
async function tryProject({ name, folder }: Project): Promise<Outcome> {
  const copy = mkdtempSync(join(tmpdir(), 'plinth-project-'));
  cpSync(join(checkouts as string, name, folder), copy, { recursive: true });
  let databases: ScratchDatabases | undefined;
  try {
    databases = createScratchDatabases(copy);
    const full = await databases.open();
    const migrated = await applyProjectMigrations(depsOf(full, copy)).then(
      () => undefined,
      (error: Error) => error.message,
    );
    if (migrated !== undefined) return { name, result: 'migrations fail', problems: [migrated] };
    const empty = await databases.open();
    const started = performance.now();
    const [none, all] = [await readSnapshot(targetOf(empty)), await readSnapshot(targetOf(full))];
    const snapshotMs = Math.round(performance.now() - started);
    const before = await fingerprint(empty);
    const { statements } = compareSnapshots(none, all);
    if (values.sql !== undefined) writeFileSync(values.sql, diffScript(compareSnapshots(none, all)));
    const common = { name, statements: statements.length, snapshotMs };
    const problems: string[] = [];
    await apply(empty, copy, statements);
    const again = compareSnapshots(await readSnapshot(targetOf(empty)), all).statements;
    problems.push(...again.map(({ text }) => `again: ${text}`));
    problems.push(...differences(await fingerprint(empty), await fingerprint(full)));
    if (problems.length > 0) return { ...common, result: 'not equal', problems };
    const { statements: back } = compareSnapshots(await readSnapshot(targetOf(empty)), none);
    await apply(empty, copy, back);
    const rest = compareSnapshots(await readSnapshot(targetOf(empty)), none).statements;
    problems.push(...rest.map(({ text }) => `back again: ${text}`));
    problems.push(...differences(await fingerprint(empty), before).map((each) => `back: ${each}`));
    return { ...common, result: problems.length === 0 ? 'equal' : 'not equal after removal', problems };
  } catch (error) {
    return {
      name,
      result: 'failed',
      problems: [(error as Error).message, ...((error as { advice?: string[] }).advice ?? [])],
    };
  } finally {
    await databases?.close();
    rmSync(copy, { recursive: true, force: true });
  }
}

const targetOf = ({ database }: Backend): ConnectionOptions => parseConnectionString(database.info.url);

const depsOf = ({ database, config, keys }: Backend, projectDir: string): ProjectDeps => ({
  database,
  config: config ?? loadConfig({ projectDir }).config,
  keys,
  projectDir,
  mode: 'development',
  log: silentLogger,
  onProgress: () => {},
});

/** Runs the SQL as a migration, because statements that require superuser privileges succeed only in migrations. */
async function apply(
  backend: Backend,
  projectDir: string,
  statements: readonly DiffStatement[],
): Promise<void> {
  const text = statements
    .map(({ text, needsCommit }) => `${needsCommit ? 'commit;' : ''}${text};\n`)
    .join('');
  await runAsMigration(depsOf(backend, projectDir), [{ shownPath: 'diff.sql', text }]);
}

type Fingerprint = Awaited<ReturnType<typeof readFingerprint>>;

async function fingerprint(backend: Backend): Promise<Fingerprint> {
  const session = await openCopySession(targetOf(backend));
  try {
    return await readFingerprint(session);
  } finally {
    session.destroy();
  }
}

/** Whether a catalog row is compared. The catalogs also contain objects that the schema comparison excludes. */
const isCompared = (row: string): boolean =>
  // Excludes the schemas of Plinth and of extensions, and the extensions that every database has.
  !/"(schemaname|name|relation|child|type)":"(_plinth|supabase_migrations|cron|pgmq|vault|net|extensions)\./.test(
    row,
  ) &&
  !/"(nspname|extname)":"(supabase_migrations|pgmq|pgtle|pgsodium|pg_graphql|pg_net|net|cron|vault|pg_temp_\d+|pg_toast_temp_\d+)"/.test(
    row,
  ) &&
  // Excludes the services' tables, but not the project's triggers and policies on these tables.
  !(/"(name|relation)":"(auth|storage|realtime)\./.test(row) && !/"(tgenabled|polname)":/.test(row)) &&
  // Excludes the names of NOT NULL constraints.
  !row.includes('"contype":"n"');

/** Whether the row is an index column. If a table's column is renamed, the index column keeps the earlier name. */
const isIndexColumn = (row: string, indexes: ReadonlySet<string>): boolean =>
  indexes.has((JSON.parse(row) as { relation: string }).relation);

function differences(actual: Fingerprint, expected: Fingerprint): string[] {
  const normalized = (rows: readonly object[] = []): Set<string> =>
    new Set(rows.map((row) => JSON.stringify(row, sorted)).filter(isCompared));
  const indexes = new Set((expected.indexes as { name: string }[]).map(({ name }) => name));
  return Object.keys(expected)
    .filter((kind) => kind !== 'rows' && kind !== 'sequences')
    .flatMap((kind) => {
      const [have, want] = [normalized(actual[kind]), normalized(expected[kind])];
      return [
        ...[...have].filter((row) => !want.has(row)).map((row) => `${kind} + ${row}`),
        ...[...want].filter((row) => !have.has(row)).map((row) => `${kind} - ${row}`),
      ]
        .filter((line) => kind !== 'columns' || !isIndexColumn(line.slice(line.indexOf('{')), indexes))
        .map((line) => line.slice(0, 600));
    });
}

/** Ignores the order of options, tags, roles and privileges, and whether a materialized view is populated. */
const sorted = (key: string, value: unknown): unknown =>
  key === 'relispopulated'
    ? undefined
    : (key === 'reloptions' || key === 'evttags') && Array.isArray(value)
      ? value.toSorted()
      : (key === 'roles' || key === 'attacl') && typeof value === 'string'
        ? value.slice(1, -1).split(',').toSorted()
        : typeof value === 'string'
          ? stableText(value)
          : value;

for (const project of readProjects(values.list ?? new URL('diff-list.txt', import.meta.url))) {
  if (values.only.length > 0 && !values.only.includes(project.name)) continue;
  if (outcomes.filter(({ result }) => result !== 'migrations fail').length >= Number(values.limit)) break;
  const folder = migrationsOf(project);
  if (!existsSync(folder) || readdirSync(folder).length > Number(values['max-files'])) continue;
  const outcome = await tryProject(project);
  outcomes.push(outcome);
  console.log([outcome.name, outcome.result, outcome.statements ?? '', outcome.snapshotMs ?? ''].join('\t'));
  for (const problem of outcome.problems ?? []) console.log(`\t${problem}`);
}
const counts = Map.groupBy(outcomes, ({ result }) => result);
for (const [result, list] of counts) console.log(`${list.length}\t${result}`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(outcomes, null, 2)}\n`);
process.exit(0);
