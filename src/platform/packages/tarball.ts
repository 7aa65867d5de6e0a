/** Verifies and extracts package archives from the npm registry. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { PackageError } from './errors.ts';
import type { NpmPackage } from './types.ts';

/** Verifies an archive's hash. @throws {PackageError} if the hash differs from the hash in the lock file */
export async function verifyTarball(file: string, { name, version, integrity }: NpmPackage): Promise<void> {
  const [algorithm = '', expected] = integrity.split(/-(.*)/s);
  const hash = createHash(algorithm);
  await pipeline(createReadStream(file), hash);
  if (hash.digest('base64') === expected) return;
  throw new PackageError(
    `The archive of ${name} ${version} doesn't match the one that this version of Plinth was released with.`,
    ["Check your npm registry. If it's a mirror, check its copy of this package."],
  );
}

/** Extracts the regular files of an archive to `target`, without the archive's top folder. */
export async function extractTarball(file: string, target: string): Promise<void> {
  const { extract } = await import('tar-stream');
  const archive = extract();
  const reading = pipeline(createReadStream(file), createGunzip(), archive);
  // The loop below reports the stream's errors.
  reading.catch(() => undefined);
  for await (const entry of archive) {
    const path = relativePath(entry.header.name);
    if (entry.header.type !== 'file' || path === undefined) {
      entry.resume();
      continue;
    }
    const to = join(target, path);
    mkdirSync(dirname(to), { recursive: true });
    // Other users can read the files because PostgreSQL runs as another user if Plinth runs as root.
    const mode = 0o644 | ((entry.header.mode ?? 0) & 0o111);
    await pipeline(entry, createWriteStream(to, { mode }));
  }
  await reading;
}

/** Returns the path below the archive's top folder, or undefined if the path leads outside this folder. */
function relativePath(name: string): string | undefined {
  const parts = name.split('/').slice(1);
  return parts.length === 0 || parts.some((part) => part === '..' || part === '' || part.includes('\\'))
    ? undefined
    : parts.join('/');
}
