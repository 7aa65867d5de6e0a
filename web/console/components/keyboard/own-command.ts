/**
 * Returns a command line that runs Plinth. How Plinth is run depends on whether the server was started from a clone or
 * from the npm package, so the server writes it into the page (`src/platform/packages/manifest.ts`).
 *
 * @example ownCommand('console') // 'npx plinth console'
 */
export const ownCommand = (args: string): string =>
  `${document.querySelector<HTMLMetaElement>('meta[name="plinth-command"]')?.content ?? 'plinth'} ${args}`;
