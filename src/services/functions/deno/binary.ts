/** Finds the Deno binary in Deno's npm package for the platform, so no install script is needed. */
import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ensurePackages, packageFolder, packageManifest } from '../../../platform/packages/index.ts';

const packages: Readonly<Partial<Record<string, string>>> = {
  'linux-x64': '@deno/linux-x64-glibc',
  'linux-arm64': '@deno/linux-arm64-glibc',
  'darwin-x64': '@deno/darwin-x64',
  'darwin-arm64': '@deno/darwin-arm64',
  'win32-x64': '@deno/win32-x64',
};

/** Returns the name of the npm package that contains Deno for the platform. */
export const denoPackage = (platform: string, arch: string): string | undefined =>
  packages[`${platform}-${arch}`];

/**
 * Returns the path to the binary. Returns undefined if npm has no package for the platform, or if optional dependencies
 * weren't installed.
 */
export function findDeno(
  platform: string = process.platform,
  arch: string = process.arch,
): string | undefined {
  const name = denoPackage(platform, arch);
  if (name === undefined) return undefined;
  try {
    const folder = packageFolder('functions', name);
    if (folder === undefined) return undefined;
    const binary = join(folder, platform === 'win32' ? 'deno.exe' : 'deno');
    // If the binary is missing, Plinth downloads it when a function is first called.
    if (!existsSync(binary)) return packageManifest() === undefined ? undefined : binary;
    // npm preserves the mode of a file only if the package lists the file as an executable (`bin`).
    if (platform !== 'win32' && (statSync(binary).mode & 0o111) === 0) chmodSync(binary, 0o755);
    return binary;
  } catch {
    return undefined;
  }
}

/** Downloads Deno if Plinth was installed without it. @throws {PackageError} */
export const ensureDeno = (onProgress: (message: string) => void): Promise<void> =>
  ensurePackages('functions', { onProgress });
