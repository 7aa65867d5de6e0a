/**
 * Writes a first migration from generated types, with the objects that no migration creates. Only running the migrations
 * shows which objects those are, so they are rehearsed in separate databases until the baseline doesn't change anymore.
 * Objects that the migrations lack are added, and objects that they create are removed.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NoticeShape, PostgresErrorShape, Queryable, Session, Transaction } from '../database/types.ts';
import { type Catalog, policyPrefix } from './core/baseline/catalog.ts';
import { Draft } from './core/baseline/draft.ts';
import { baselineText } from './core/baseline/file.ts';
import { baselineStatements } from './core/baseline/print.ts';
import type { Remedy } from './core/baseline/remedy.ts';
import { Repairer } from './core/baseline/repair.ts';
import { Sources } from './core/baseline/sources.ts';
import { supplement } from './core/baseline/supplement.ts';
import { readTypes } from './core/types-file/model.ts';
import { ProjectError } from './errors.ts';
import { baselineFileOf, type NewFile, readSources } from './files.ts';
import { firstStart, withUserSession } from './first-start.ts';
import { selectColumns, selectFunctions, selectTablesWithPolicy, selectTypes } from './queries.ts';
import type { KeepGoing, StatementFailure } from './run-file.ts';
import type { ProjectDeps } from './types.ts';

export interface BaselineOptions {
  /** The folder that contains `supabase/`. */
  readonly projectDir: string;
  /** Relative to the working directory, as the developer wrote it. */
  readonly typesFile: string;
  /** An empty database for each rehearsal. */
  readonly openDatabase: () => Promise<EmptyDatabase>;
  readonly onProgress: (message: string) => void;
}

export interface EmptyDatabase {
  readonly deps: ProjectDeps;
  close(): Promise<void>;
}

export interface Baseline {
  /** `supabase/migrations/00000000000000_baseline.sql` */
  readonly shownPath: string;
  readonly path: string;
  /** Undefined if the migrations create everything in the types. */
  readonly text: string | undefined;
  /** The baseline's tables. */
  readonly tables: readonly string[];
  /** Tables that no client can read, because their policies are unknown. */
  readonly withoutPolicy: readonly string[];
  /** Statements of the project that still fail. */
  readonly failures: readonly StatementFailure[];
}

/** The maximum number of rehearsals. Real projects need two to eight. */
const mostRehearsals = 60;

/** @throws {ProjectError} `no_types`, `baseline_exists` */
export async function makeBaseline(options: BaselineOptions): Promise<Baseline> {
  const { projectDir, typesFile, onProgress } = options;
  const model = readTypes(readFileSync(typesFile, 'utf8'));
  if (model === undefined) throw new ProjectError('no_types', { file: typesFile });
  const supabaseDir = join(projectDir, 'supabase');
  const file = baselineFileOf(supabaseDir);
  refuseTaken(file);
  const draft = new Draft(model);
  const repairer = new Repairer(draft, new Sources(readSources(supabaseDir)));
  let rehearsal: Rehearsal | undefined;
  for (let count = 1; count <= mostRehearsals; count++) {
    onProgress(`Running the migrations in a temporary database (${count})...`);
    const before = baselineStatements(draft).join(';');
    rehearsal = await rehearse(options, repairer);
    if (rehearsal.isWhole && baselineStatements(draft).join(';') === before) break;
  }
  const statements = baselineStatements(draft);
  const { version, shownPath, path } = file;
  return {
    shownPath,
    path,
    text: statements.length === 0 ? undefined : baselineText({ version, typesFile, statements }),
    tables: [...draft.tables.keys()],
    withoutPolicy: [...draft.withoutPolicy],
    failures: rehearsal?.failures ?? [],
  };
}

function refuseTaken({ exists, shownPath }: NewFile): void {
  if (!exists) return;
  const advice = ['To generate it again, for example from newer types, delete it first.'];
  throw new ProjectError('baseline_exists', { file: shownPath }, { advice });
}

interface Rehearsal {
  /** False if the draft changed in a way that takes effect only in a new rehearsal. */
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
  /** Statements that no change to the baseline can repair. */
  readonly failures: StatementFailure[];
}

/** Repairs the baseline for a failed statement and runs the statement again. */
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

/** Applies all statements or none, so that the file's transaction continues. */
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
  return {
    relations,
    types: new Set(await selectTypes(db)),
    functions: new Set(await selectFunctions(db)),
    withPolicy: new Set(await selectTablesWithPolicy(db, policyPrefix)),
  };
}
