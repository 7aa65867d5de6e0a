/** The context of PostgreSQL's errors, as Plinth shows it. */

/** The end of the function and the script of `platform/database/embedded/pack-files.ts` in a context. */
const requestingScript =
  /(?<=^|\n)PL\/pgSQL function inline_code_block line \d+ at [^\n]+\nSQL statement "do \$plinth\$[\s\S]*?\$plinth\$"\n/;

/**
 * Returns the context without the script in which Plinth requests an extension pack. PostgreSQL includes the whole
 * script, which says nothing about the user's statement.
 */
export const shortContext = (where: string | undefined): string | undefined =>
  where?.replace(requestingScript, '');
