/**
 * Writes a first migration from generated types. This baseline contains the objects that the migrations need but don't
 * create. These objects can only be found by running the migrations, so the migrations are rehearsed in separate
 * databases until the baseline stops changing. Each rehearsal adds missing objects to the baseline and removes objects
 * that the migrations create themselves.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { oneLine } from '../../base/shared/printable.ts';
import type {
  NoticeShape,
  PostgresErrorShape,
  Queryable,
  Session,
  Transaction,
} from '../../platform/database/types.ts';
import {
  baselineFileOf,
  firstStart,
  type KeepGoing,
  type NewFile,
  type ProjectDeps,
  ProjectError,
  readSources,
  type StatementFailure,
  serviceSchemas,
  withUserSession,
} from '../folder/index.ts';
import { readTypes } from '../types-file/index.ts';
import { type Catalog, Draft, policyPrefix, type Remedy } from './core/draft.ts';
import { baselineStatements } from './core/print.ts';
import { keyOfColumns, Repairer } from './core/repair.ts';
import { Sources } from './core/sources.ts';
import { supplement } from './core/supplement.ts';
import {
  selectColumns,
  selectFunctionBodies,
  selectFunctions,
  selectTablesWithPolicy,
  selectTypes,
  selectUniqueKeys,
} from './queries.ts';

export interface BaselineOptions {
  /** The folder that contains `supabase/`. */
  readonly projectDir: string;
  /** The path that the developer entered, relative to the working directory. */
  readonly typesFile: string;
  /** Opens an empty database. Called for each rehearsal. */
  readonly openDatabase: () => Promise<EmptyDatabase>;
  readonly onProgress: (message: string) => void;
  /** The time limit, after which no more rehearsals start. */
  readonly timeLimitMs?: number;
}

export interface EmptyDatabase {
  readonly deps: ProjectDeps;
  close(): Promise<void>;
}

export interface Baseline {
  /** The path that messages show: `supabase/migrations/00000000000000_baseline.sql`. */
  readonly shownPath: string;
  readonly path: string;
  /** The text of the baseline. Undefined if the migrations create everything that the generated types declare. */
  readonly text: string | undefined;
  readonly tables: readonly string[];
  /** Tables that clients can't read because their policies aren't known. */
  readonly withoutPolicy: readonly string[];
  readonly rehearsals: number;
  /** Whether the last rehearsal was complete and left the baseline unchanged. */
  readonly isSettled: boolean;
  /** The project's statements that still fail in the last rehearsal. */
  readonly failures: readonly StatementFailure[];
}

/** The maximum number of rehearsals. Most projects need two to eight. */
const maxRehearsals = 60;

/** The default of {@link BaselineOptions.timeLimitMs}. */
const defaultTimeLimitMs = 4 * 60_000;

/**
 * Creates the baseline and returns it with the result of its rehearsals.
 * @throws {ProjectError} `no_types`, `baseline_exists`
 */
export async function makeBaseline(options: BaselineOptions): Promise<Baseline> {
  const { projectDir, typesFile, onProgress, timeLimitMs = defaultTimeLimitMs } = options;
  const model = readTypes(readFileSync(typesFile, 'utf8'));
  if (model === undefined) throw new ProjectError('no_types', { file: typesFile });
  const supabaseDir = join(projectDir, 'supabase');
  const file = baselineFileOf(supabaseDir);
  rejectTaken(file);
  const draft = new Draft(model);
  const repairer = new Repairer(draft, new Sources(readSources(supabaseDir)));
  let failures: readonly StatementFailure[] = [];
  let rehearsals = 0;
  let isSettled = false;
  const end = performance.now() + timeLimitMs;
  do {
    rehearsals++;
    onProgress(`Running the migrations in a temporary database (${rehearsals})...`);
    const before = baselineStatements(draft).join(';');
    const rehearsal = await rehearse(options, repairer);
    isSettled = rehearsal.isWhole && baselineStatements(draft).join(';') === before;
    failures = rehearsal.failures;
  } while (!isSettled && rehearsals < maxRehearsals && performance.now() < end);
  const statements = baselineStatements(draft);
  const { version, shownPath, path } = file;
  return {
    shownPath,
    path,
    text: statements.length === 0 ? undefined : baselineText({ version, typesFile, statements }),
    tables: [...draft.tables.keys()],
    withoutPolicy: [...draft.withoutPolicy],
    rehearsals,
    isSettled,
    failures,
  };
}

function rejectTaken({ exists, shownPath }: NewFile): void {
  if (!exists) return;
  const advice = ['To generate it again, for example from newer types, delete it first.'];
  throw new ProjectError('baseline_exists', { file: shownPath }, { advice });
}

interface Rehearsal {
  /** Whether the rehearsal was complete. False if the draft changed in a way that requires another rehearsal. */
  readonly isWhole: boolean;
  readonly failures: readonly StatementFailure[];
}

class Restart extends Error {}

async function rehearse(
  { openDatabase, typesFile }: BaselineOptions,
  repairer: Repairer,
): Promise<Rehearsal> {
  const { deps, close } = await openDatabase();
  try {
    return await withUserSession(deps, async (session, privileged) => {
      const text = repairer
        .begin()
        .map((statement) => `${statement};`)
        .join('\n');
      const helper = helping(repairer, session);
      const options = {
        keepGoing: helper.keepGoing,
        baseline: { shownPath: `the baseline of ${typesFile}`, text },
      };
      try {
        await firstStart(deps, options, { session, privileged, done: new Set() });
      } catch (error) {
        if (error instanceof Restart) return { isWhole: false, failures: helper.failures };
        throw error;
      }
      supplement(repairer, await readCatalog(session));
      return { isWhole: true, failures: helper.failures };
    });
  } finally {
    await close();
  }
}

interface Helper {
  readonly keepGoing: KeepGoing;
  /** The statements that can't be repaired by changing the baseline. */
  readonly failures: StatementFailure[];
}

/** Returns a function that repairs the baseline after a statement has failed. The statement can then run again. */
function helping(repairer: Repairer, session: Session): Helper {
  const failures: StatementFailure[] = [];
  const notices: NoticeShape[] = [];
  session.onNotice((notice) => notices.push(notice));
  let fromNotice: Remedy | undefined;
  return {
    failures,
    keepGoing: {
      complaint() {
        for (const notice of notices.splice(0)) {
          fromNotice = repairer.remedyNotice(notice);
          if (fromNotice !== undefined) return asError(notice);
        }
        return undefined;
      },
      async failed(failure, tx) {
        notices.length = 0;
        const remedy = fromNotice ?? repairer.remedy(failure.error, failure.statement);
        const isNotice = fromNotice !== undefined;
        fromNotice = undefined;
        if (remedy?.kind === 'restart') throw new Restart();
        if (remedy === undefined || remedy.isTooLate) failures.push(failure);
        if (remedy === undefined) return 'leave out';
        const isDone = await apply(remedy, tx);
        if (isDone || isNotice) return 'retry';
        if (!remedy.isTooLate) failures.push(failure);
        return 'leave out';
      },
    },
  };
}

/**
 * Runs all statements in a savepoint. If one statement fails, none take effect, and the file's transaction can
 * continue.
 */
async function apply(remedy: Remedy & { readonly kind: 'run' }, tx: Queryable): Promise<boolean> {
  const run = async (within: Queryable) => {
    for (const statement of remedy.statements) await within.exec(statement);
  };
  try {
    await ('savepoint' in tx ? (tx as Transaction).savepoint(run) : run(tx));
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'severity' in error)) throw error;
    remedy.undo?.();
    return false;
  }
}

const asError = ({ code, message, severity }: NoticeShape): PostgresErrorShape =>
  Object.assign(new Error(message), { code, severity });

async function readCatalog(db: Queryable): Promise<Catalog> {
  await db.exec('reset role; reset search_path');
  const relations = new Map<string, string[]>();
  for (const { relation, name } of await selectColumns(db)) {
    const columns = relations.get(relation) ?? [];
    if (name !== null) columns.push(name);
    relations.set(relation, columns);
  }
  const uniqueKeys = new Map([...relations.keys()].map((relation) => [relation, [] as string[]]));
  for (const { relation, columns } of await selectUniqueKeys(db))
    uniqueKeys.get(relation)?.push(keyOfColumns(columns));
  return {
    relations,
    uniqueKeys,
    types: new Set(await selectTypes(db)),
    functions: new Set(await selectFunctions(db)),
    functionBodies: await selectFunctionBodies(db, [...serviceSchemas]),
    withPolicy: new Set(await selectTablesWithPolicy(db, policyPrefix)),
  };
}

interface BaselineFile {
  readonly version: string;
  /** The path that the developer entered, such as `src/integrations/supabase/types.ts`. */
  readonly typesFile: string;
  readonly statements: readonly string[];
}

/** Prints the baseline as the text of a migration file. */
function baselineText({ version, typesFile, statements }: BaselineFile): string {
  const header = [
    `Generated by "plinth db baseline" from ${typesFile}. It creates the objects that those types declare but no migration`,
    "creates, because they were created in the hosted project's dashboard.",
    '',
    'Types contain less information than a schema. Comments with "guess" mark guesses. Checks, indexes, triggers, function bodies and',
    'foreign key actions are missing.',
    '',
    'Replace this file with the real schema once you can access the hosted project: move every file of',
    'supabase/migrations to another folder, including this one, and run "supabase db pull", which writes the schema as one',
    'migration.',
    '',
    'The hosted project already has these objects, so never run this file there. Before "db push", mark it as applied:',
    `  supabase migration repair --status applied ${version}`,
  ];
  const comment = header.map((line) => (line === '' ? '--' : `-- ${oneLine(line)}`)).join('\n');
  return `${[comment, ...statements.map((statement) => `${statement};`)].join('\n\n')}\n`;
}
