/** Prints the baseline as a migration file. */

export interface BaselineFile {
  readonly version: string;
  /** As the developer wrote it: `src/integrations/supabase/types.ts`. */
  readonly typesFile: string;
  readonly statements: readonly string[];
}

export function baselineText({ version, typesFile, statements }: BaselineFile): string {
  const header = [
    `Written by "plinth db baseline" from ${typesFile}: what those types name and no migration creates,`,
    'since it was made in the dashboard of the hosted project.',
    '',
    'Types hold less than a schema. "guess" marks what was guessed; checks, indexes, triggers, the bodies of functions and',
    'the actions of foreign keys are missing.',
    '',
    'Replace it by the real schema once you can reach the hosted project: move every file of supabase/migrations to another',
    'folder, this one too, and run "supabase db pull", which writes the schema as one migration.',
    '',
    'The hosted project has all this, so this file must never run there. Before a "db push", mark it as applied:',
    `  supabase migration repair --status applied ${version}`,
  ];
  const comment = header.map((line) => (line === '' ? '--' : `-- ${line}`)).join('\n');
  return `${[comment, ...statements.map((statement) => `${statement};`)].join('\n\n')}\n`;
}
