/** Finds the Deno binary in npm's platform packages, so that nothing is downloaded and no install script runs. */
import { chmodSync, existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const packages: Readonly<Record<string, string>> = {
  'linux-x64': '@deno/linux-x64-glibc',
  'linux-arm64': '@deno/linux-arm64-glibc',
  'darwin-x64': '@deno/darwin-x64',
  'darwin-arm64': '@deno/darwin-arm64',
  'win32-x64': '@deno/win32-x64',
};

/**
 * Returns the path of the binary, or undefined if there is no package for the platform or optional dependencies weren't
 * installed.
 */
export function findDeno(
  platform: string = process.platform,
  arch: string = process.arch,
): string | undefined {
  const name = packages[`${platform}-${arch}`];
  if (name === undefined) return undefined;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
    const binary = join(folder, platform === 'win32' ? 'deno.exe' : 'deno');
    if (!existsSync(binary)) return undefined;
    // npm only preserves a file's mode if the package lists it as a bin.
    if (platform !== 'win32' && (statSync(binary).mode & 0o111) === 0) chmodSync(binary, 0o755);
    return binary;
  } catch {
    return undefined;
  }
}
