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
    'Compares the database’s schema with a temporary database that is created from the migrations.',
  'migrations.drift-start': 'Compare',
  'migrations.drift-never': 'The database hasn’t been compared since the last change to the migrations.',
  'migrations.drift-checked': 'Compared',
  'migrations.drift-production':
    'The comparison starts a second PostgreSQL server on this machine, which needs memory and CPU time for about a minute.',
  'migrations.step-server': 'Starting a temporary database',
  'migrations.step-migrations': 'Running the migrations in the temporary database',
  'migrations.step-compare': 'Comparing the schemas',
  'migrations.step-check': 'Testing the statements in the temporary database',
  'migrations.step': 'Step {number} of 4: {step}',
  'migrations.drift-none': 'The database contains exactly the changes in the migrations.',
  'migrations.drift-found':
    '{count, plural, one {# object differs from the migrations.} other {# objects differ from the migrations.}}',
  'migrations.drift-problem':
    'These changes can’t be saved as they are, because they fail in a database with the migrations: {problem}',
  'migrations.drift-legend':
    'Lines with + exist only in the database. Lines with - exist only in the migrations.',
  'migrations.drift-objects': 'Differences',
  'migrations.object-other': 'Other changes',
  'migrations.object-added': 'only in the database',
  'migrations.object-removed': 'only in the migrations',
  'migrations.object-changed': 'different',
  'migrations.object-files': 'Mentioned in {files}',
  'migrations.object-diff': 'Differences in {name}',
  'migrations.object-sql': 'SQL for a migration with this change',
  'migrations.object-undo': 'SQL that undoes this change in the database',
  'migrations.object-loses': 'Undoing this change can delete data.',
  'migrations.object-hidden': 'Your role can’t see this definition, because it can contain secrets.',
  'migrations.drift-sql': 'SQL of the changes',
  'migrations.drift-undo': 'SQL that undoes all changes in the database',
  'migrations.drift-undo-text':
    'This SQL makes the database equal to the migrations. It can delete data. Review it before you run it in the SQL editor.',
  'migrations.drift-copy':
    'In production, the project folder on the server isn’t changed. Copy this SQL into a migration file in your project, and mark that migration as applied here.',
  'migrations.drift-name': 'File name',
  'migrations.drift-bad': 'Use lowercase letters, numbers and underscores.',
  'migrations.drift-down': 'Also save a down script that undoes the migration',
  'migrations.drift-save': 'Save as a migration file',
  'migrations.drift-saved':
    'Saved as {file} and recorded as applied. The database wasn’t changed, because it already has these changes.',
  'migrations.squash': 'Squash',
  'migrations.squash-title': 'Squash migrations',
  'migrations.squash-text':
    'Replaces the migrations up to the chosen one with a single file that creates the same schema. The result is tested in temporary databases first, and the original files are copied to supabase/.temp.',
  'migrations.squash-data':
    'The file won’t contain inserted rows, scheduled jobs, buckets, secrets or down scripts. Other databases that have applied these migrations need their history repaired.',
  'migrations.squash-up-to': 'Squash up to and including',
  'migrations.squash-go': 'Squash migrations',
  'migrations.squash-done': 'The migrations are now in {file}. The original files are in {backup}.',
  'migrations.squash-omitted': 'Not included in the file',
  'migrations.down': 'Down script',
  'migrations.down-run': 'Revert with the down script',
  'migrations.down-text':
    'Runs the down script in the database and marks the migration as not applied. Data in dropped tables and columns is lost. This can’t be undone.',
  'migrations.down-newest':
    'Only the newest applied migration can be reverted, because later migrations can depend on earlier ones.',
  'migrations.sql-diff': 'Changes to the file since it was applied',
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
