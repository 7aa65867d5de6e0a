/** Interface text for the Migrations page, as ICU messages. */
export const messages = {
  'migrations.list': 'Migrations',
  'migrations.version': 'Version',
  'migrations.name': 'Name',
  'migrations.state': 'State',
  'migrations.file': 'File',
  'migrations.state-applied': 'applied',
  'migrations.state-pending': 'pending',
  'migrations.state-changed': 'changed file',
  'migrations.state-missing': 'missing file',
  'migrations.state-recorded': 'applied',
  'migrations.older': 'older than the newest applied migration',
  'migrations.none-title': 'No migrations yet',
  'migrations.none-text':
    'A migration is a SQL file in supabase/migrations. Changes to tables and policies can be saved as migrations.',
  'migrations.open': 'Open {name}',
  'migrations.apply': 'Apply {count, plural, one {# pending migration} other {# pending migrations}}',
  'migrations.up-to-date': 'No pending migrations',
  'migrations.apply-title': 'Apply pending migrations',
  'migrations.apply-text':
    'The files run in this order. Each file is applied completely or not at all. If one fails, the files before it stay applied.',
  'migrations.apply-go': 'Apply',
  'migrations.include-older': 'Include migrations that are older than the newest applied one',
  'migrations.include-older-why': 'Merging a branch can add older migrations.',
  'migrations.dry-run': 'Dry run',
  'migrations.dry-run-text': 'Runs the files in a transaction that is rolled back.',
  'migrations.tried':
    '{count, plural, =0 {No files were tried.} one {# file would succeed.} other {# files would succeed.}}',
  'migrations.untried':
    'These files weren’t tried because a statement in the first one can’t be rolled back: {files}',
  'migrations.blocked-recorded':
    'These files can’t be applied here, because the folder on this server doesn’t contain all applied migrations. Add the files to the project folder that you deploy, and run plinth deploy.',
  'migrations.blocked-missing':
    'Migrations can’t be applied while the database has migrations without a file. Restore the files, or mark these migrations as not applied.',
  'migrations.applied-count':
    '{count, plural, one {# migration was applied.} other {# migrations were applied.}}',
  'migrations.drift': 'Drift',
  'migrations.drift-check': 'Check for drift',
  'migrations.drift-again': 'Check again',
  'migrations.drift-text':
    'Compares the database’s schema with a temporary database that is created from the files in supabase/migrations.',
  'migrations.drift-running': 'Creating a temporary database. This can take a minute.',
  'migrations.drift-none': 'The database contains exactly the changes in the migrations.',
  'migrations.drift-found':
    'No migration contains these changes. Save them as a migration file, or undo them in the database.',
  'migrations.drift-problem':
    'No migration contains these changes. They can’t be saved as they are, because they fail in a database with the migrations: {problem}',
  'migrations.drift-sql': 'SQL of the changes',
  'migrations.drift-name': 'File name',
  'migrations.drift-bad': 'Use lowercase letters, numbers and underscores.',
  'migrations.drift-save': 'Save as a migration file',
  'migrations.drift-saved':
    'Saved as {file} and recorded as applied. The database wasn’t changed, because it already has these changes.',
  'migrations.sql-file': 'SQL in the file',
  'migrations.sql-applied': 'SQL that was applied',
  'migrations.no-sql': 'Only the version of this migration was recorded, so the SQL isn’t available.',
  'migrations.secret': 'Your role can’t read migrations, because they can contain secrets.',
  'migrations.changed-why':
    'The file was changed after it was applied, so the database doesn’t contain the change. Save the change in a new migration and restore the original version of this file.',
  'migrations.missing-why':
    'The database has applied this migration, but supabase/migrations doesn’t contain its file. Restore the file, or mark the migration as not applied.',
  'migrations.recorded-why':
    'plinth deploy or plinth db push applied this migration from another machine, so this server’s folder doesn’t contain its file.',
  'migrations.mark-applied': 'Mark as applied',
  'migrations.mark-applied-text':
    'Use this only if the database already contains the file’s changes. The file won’t run, and only the history changes.',
  'migrations.mark-reverted': 'Mark as not applied',
  'migrations.mark-reverted-text':
    'Only the history changes. The database keeps the migration’s changes, and a file with this version becomes pending.',
  'migrations.gone': 'This migration doesn’t exist anymore.',
} as const;
