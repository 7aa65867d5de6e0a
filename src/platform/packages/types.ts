/** The operating systems and architectures for which all binaries exist. */
export const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'] as const;

export type Platform = (typeof platforms)[number];

/** Groups of npm packages. The packages of a group are installed together when a part of Plinth first needs them. */
export type PackageGroup = 'server' | 'functions' | 'images' | 'types' | 'node';

/** One version of a package on the npm registry. */
export interface NpmPackage {
  readonly name: string;
  readonly version: string;
  /** The hash of the package's archive, in the format of a lock file (`sha512-…`). */
  readonly integrity: string;
}

/**
 * The content of `runtime-packages.json`, which `scripts/package.mjs` derives from the lock file. The file exists only
 * in the npm package, because a clone installs all packages with npm.
 */
export interface PackageManifest {
  /** Identifies the build. Changes whenever a file in the npm package changes. */
  readonly build: string;
  readonly platforms: Readonly<Record<Platform, Readonly<Record<PackageGroup, readonly NpmPackage[]>>>>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface StoredGroup {
  readonly group: PackageGroup;
  readonly packages: readonly NpmPackage[];
}

export interface FillOptions {
  readonly env: Environment;
  readonly onProgress: (message: string) => void;
  /** A folder that contains the packages. If undefined, the packages are downloaded. */
  readonly from?: string | undefined;
  /** Ends the download, or the wait for another process that downloads the packages, when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}
