/** Interface text for saving a change as a migration file, as ICU messages. */
export const messages = {
  'migration.save': 'Save as a migration file',
  'migration.why': 'Saves the SQL in supabase/migrations and records it as applied.',
  'migration.name': 'File name',
  'migration.bad': 'Use lowercase letters, numbers and underscores.',
} as const;
