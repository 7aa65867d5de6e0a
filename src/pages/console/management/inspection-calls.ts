/**
 * The Management API's operations with which commands inspect the database of a linked server: its schema, its reports,
 * its functions, and the outcome of tests.
 */
import { inspect, isReportName, type Report } from '../../../platform/database/index.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { FileOutcome, LintResult, SentTest } from '../../../project/folder/index.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { redactLiterals } from '../queries-page/core/outline.ts';
import { withReason } from './database-calls.ts';
import { detailOf, type Handlers, ManagementError } from './handlers.ts';
import { createTurns } from './turns.ts';

/** Reads the project's database for the commands of a linked project folder. */
export interface Inspection {
  /** Whether the server runs in production, where tests require the caller's consent. */
  readonly isProduction: boolean;
  /** Returns the schema as a document (`project/diff/document.ts`). */
  schema(): Promise<unknown>;
  /** Checks the functions in these schemas, or in all of the project's schemas. */
  lint(schemas: readonly string[]): Promise<readonly LintResult[]>;
  /** Runs a test file and rolls its changes back. */
  test(test: SentTest, signal: AbortSignal): Promise<FileOutcome>;
}

export interface InspectionDeps {
  readonly database: Database;
  readonly inspection: Inspection;
  readonly audit: Audit;
}

/** The columns of reports that contain statements. */
const isStatement = (field: string): boolean => /(^|_)query$/.test(field);

/** The maximum number of concurrent inspections, because each one opens connections to the database. */
const maxAtOnce = 2;
const maxWaiting = 50;

export function inspectionCalls({ database, inspection, audit }: InspectionDeps) {
  const inTurn = createTurns(maxAtOnce, maxWaiting);
  return {
    // A schema can contain secrets, for example in the definitions of triggers that call webhooks.
    readSchema: ['secrets', () => inTurn(() => inspection.schema())],
    readReport: [
      'read',
      async ({ name }, { operator }) => {
        if (!isReportName(name)) throw new ManagementError(404, `Report ${name} not found`);
        const report = await inspect(database.pool('postgres'), name);
        if (report === undefined) return { report: null };
        return { report: may(operator.role, 'secrets') ? report : redacted(report) };
      },
    ],
    lintDatabase: ['read', ({ schemas }) => inTurn(() => withReason(() => inspection.lint(schemas)))],
    runTest: [
      'write',
      async ({ shown_path: shownPath, texts, includes, allow_production: isAllowed }, caller) => {
        if (inspection.isProduction && !isAllowed)
          throw new ManagementError(
            409,
            'This server runs in production. Tests are rolled back, but they take locks, use the resources of the app, and can call functions with lasting effects. To run them anyway, use --allow-production.',
          );
        const signal = caller.gone ?? new AbortController().signal;
        let passed: boolean | undefined;
        try {
          const outcome = await inTurn(() =>
            withReason(() => inspection.test({ shownPath, texts, includes }, signal)),
          );
          passed = outcome.error === undefined;
          return outcome;
        } finally {
          await audit(caller, 'test.run', shownPath, { completed: passed === true, ...detailOf(caller) });
        }
      },
    ],
  } satisfies Partial<Handlers>;
}

const redacted = (report: Report): Report => ({
  ...report,
  rows: report.rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([field, value]) => [
        field,
        isStatement(field) && typeof value === 'string' ? redactLiterals(value) : value,
      ]),
    ),
  ),
});
