/**
 * Recognizes the statements with which migrations and test suites install database.dev's package manager, as its
 * documentation describes. These statements are skipped because Plinth has its own extension `supabase-dbdev`.
 */

/** Whether a test suite uses the package manager. */
export const usesPackageManager = (source: string): boolean => source.includes('supabase-dbdev');

/**
 * Whether the statement only downloads and installs the package manager with pg_tle, or removes it.
 *
 * @example isPackageManagerSetup("select pgtle.uninstall_extension_if_exists('supabase-dbdev')") // true
 */
export const isPackageManagerSetup = (statement: string): boolean =>
  /^(\s|--.*\n|\/\*[\s\S]*?\*\/)*select\s+pgtle\s*\.\s*(un)?install_extension\w*\s*\(\s*'supabase-dbdev'/i.test(
    statement,
  );
