/**
 * The package manager of database.dev in test suites. Its documented setup downloads it and passes it to pg_tle. Plinth
 * has its own extension `supabase-dbdev`, so the setup isn't needed.
 */

/** Whether a suite uses the package manager. */
export const usesPackageManager = (source: string): boolean => source.includes('supabase-dbdev');

/**
 * Whether the statement only installs or removes the package manager through pg_tle.
 *
 * @example isPackageManagerSetup("select pgtle.uninstall_extension_if_exists('supabase-dbdev')") // true
 */
export const isPackageManagerSetup = (statement: string): boolean =>
  /^(\s|--.*\n|\/\*[\s\S]*?\*\/)*select\s+pgtle\s*\.\s*(un)?install_extension\w*\s*\(\s*'supabase-dbdev'/i.test(
    statement,
  );
