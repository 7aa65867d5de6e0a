/** Lists the places where a word is correct although the rules report it, each with the reason. */

export interface WordException {
  /** Path prefixes, relative to the repository. */
  readonly paths: readonly string[];
  /**
   * The name of the rule to which the exception applies. If this name is absent, the exception applies to all rules.
   */
  readonly rule?: string;
  /** If this text is set, the exception applies only to lines that contain it. */
  readonly line?: string;
  readonly reason: string;
}

export const wordExceptions: readonly WordException[] = [
  {
    paths: ['scripts/lint/words/', 'test/docs/words.test.ts'],
    reason: 'The list itself and its test.',
  },
  {
    paths: ['src/services/realtime/errors.ts', 'docs/errors.md'],
    rule: 'British spelling',
    line: 'Query was cancelled',
    reason: 'The text of the realtime server that clients see.',
  },
  {
    paths: ['src/services/jobs/cron/scheduler.ts', 'test/jobs/cron.test.ts'],
    rule: 'British spelling',
    line: 'job cancelled',
    reason: 'The text that pg_cron writes into the table cron.job_run_details.',
  },
  {
    paths: ['src/services/storage/sql/0001_tables.sql'],
    rule: 'British spelling',
    reason: 'The migration names of the hosted storage server.',
  },
  {
    paths: ['src/pages/console/sql-page/core/danger.ts', 'src/project/baseline/core/print.ts'],
    rule: 'British spelling',
    line: 'analyse',
    reason: 'A keyword of PostgreSQL.',
  },
  {
    paths: [
      'src/pages/console/errors.ts',
      'src/pages/console/sql-page/',
      'test/console/sql.test.ts',
      'docs/errors.md',
    ],
    rule: 'British spelling',
    line: 'cancelled',
    reason: 'An error code and a field of the Console API. Clients depend on both.',
  },
  {
    paths: [
      'src/platform/database/embedded/identity.ts',
      'src/platform/database/errors.ts',
      'docs/errors.md',
      'docs/decisions/0007-embedded-postgresql.md',
      'scripts/external-postgres.ts',
      'bench/pgbouncer.ts',
      'bench/drill/pooler.ts',
    ],
    rule: 'nobody',
    line: 'nobody',
    reason: 'The user of the operating system.',
  },
  {
    paths: ['src/platform/database/extensions/http--1.6.sql', 'test/jobs/http.test.ts'],
    rule: 'is no',
    reason: 'Texts in the bodies of installed functions. Statements of extension files are not changed.',
  },
  {
    paths: ['src/project/folder/core/observe.ts'],
    rule: 'is no',
    line: 'there is no',
    reason: 'Error messages of PostgreSQL.',
  },
];
