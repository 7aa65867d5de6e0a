/** Identifies the bundle of a clone, so that a version of Plinth doesn't use data that another version has cached. */
import { packageManifest } from './manifest.ts';

/** The hash of the TypeScript sources, which scripts/build-server.mjs inserts into the bundle. */
declare const __PLINTH_SOURCES__: string | undefined;

/**
 * Returns the hash of the bundle's sources. Returns undefined in the npm package, and if Plinth runs from its source
 * files.
 */
export const bundleHash = (): string | undefined =>
  packageManifest() === undefined && typeof __PLINTH_SOURCES__ === 'string' ? __PLINTH_SOURCES__ : undefined;
