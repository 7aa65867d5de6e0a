/** Determines whether binaries exist for a machine, and which versions of Node run the server. */
import { existsSync } from 'node:fs';
import { PackageError } from './errors.ts';
import { type Platform, platforms } from './types.ts';

export interface MachinePlatform {
  readonly os: string;
  readonly arch: string;
  /** Whether the C library is musl, as in Alpine Linux. */
  readonly isMusl: boolean;
}

/** Describes the machine on which this process runs. */
export function thisPlatform(): MachinePlatform {
  known ??= {
    os: process.platform,
    arch: process.arch,
    isMusl: process.platform === 'linux' && hasMusl() && !usesGlibc(),
  };
  return known;
}

let known: MachinePlatform | undefined;

/**
 * Returns the name of the platform whose binaries run on the machine.
 *
 * @throws {PackageError} if binaries for the machine don't exist
 */
export function supportedPlatform({ os, arch, isMusl }: MachinePlatform): Platform {
  if (isMusl) {
    throw new PackageError('Plinth has no binaries for Linux with musl (Alpine).', [
      'Use an image with glibc, such as node:24-slim.',
    ]);
  }
  const name = `${os}-${arch}`;
  const platform = platforms.find((each) => each === name);
  if (platform !== undefined) return platform;
  throw new PackageError(`Plinth has no binaries for ${name}.`, [
    `There are binaries for ${platforms.join(', ')}.`,
  ]);
}

/** The paths of musl's loaders for the architectures that have binaries. */
const muslLoaders = ['/lib/ld-musl-x86_64.so.1', '/lib/ld-musl-aarch64.so.1'];

/** Whether musl is installed. Systems with glibc can have musl too. Unlike Node's report, this check is fast. */
const hasMusl = (): boolean => muslLoaders.some((path) => existsSync(path));

/**
 * Whether Node is linked against glibc. If Node isn't linked against glibc, its report doesn't contain the version of
 * glibc.
 */
function usesGlibc(): boolean {
  const report = process.report as typeof process.report & { excludeNetwork: boolean };
  // Without this option, creating the report includes looking up host names, which can take seconds.
  report.excludeNetwork = true;
  const { header } = report.getReport() as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime !== undefined;
}

/** The oldest major version of Node on which the bundled server runs. */
export const minServerNode = 24;

/** Whether the server can run on this version of Node. @example canRunServer('22.19.0'); // false */
export const canRunServer = (version: string): boolean => Number.parseInt(version, 10) >= minServerNode;
