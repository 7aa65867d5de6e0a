/** Distinguishes Vite's development server from other programs that resolve Vite's configuration. */

/**
 * Svelte's type checker and language server resolve the configuration for `serve`, although they don't start a server.
 */
const checker = /[\\/]svelte-(?:check|language-server)(?:[\\/]|$)/;

/** `program` is the path to the script that Node runs. */
export const isDevelopmentServer = (
  { command, isPreview }: { readonly command: string; readonly isPreview?: boolean | undefined },
  program: string | undefined,
): boolean => command === 'serve' && isPreview !== true && !checker.test(program ?? '');
