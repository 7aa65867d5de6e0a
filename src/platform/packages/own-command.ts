import { packageManifest } from './manifest.ts';

/** Returns the command line that runs Plinth, without arguments. A clone isn't installed, so npx can't run it. */
export const ownCommand = (): string =>
  packageManifest() === undefined ? 'npm run -s plinth --' : 'npx plinth';
