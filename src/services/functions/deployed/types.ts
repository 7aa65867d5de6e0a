/** Functions that were deployed to a running server, as opposed to functions in the project folder. */
export interface FunctionFile {
  /** The path relative to the folder from which the function was deployed, with `/` as the separator. */
  readonly path: string;
  readonly content: Buffer;
}

export interface Deployment {
  readonly slug: string;
  /** The function's name. Defaults to the slug. */
  readonly name?: string | undefined;
  /** The path of the entrypoint in the upload. */
  readonly entrypointPath: string;
  readonly importMapPath?: string | undefined;
  /** Defaults to the value of the previous version, or to true if there was none. */
  readonly verifyJwt?: boolean | undefined;
  readonly files: readonly FunctionFile[];
}

/** The description of one version of a deployed function. */
export interface DeployedVersion {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly version: number;
  readonly verifyJwt: boolean;
  readonly entrypointPath: string;
  readonly importMapPath?: string | undefined;
  /** The times of the first and of the last deployment, in milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** A hash of all files and their paths. */
  readonly sha256: string;
  readonly sizeBytes: number;
  /** The name of the folder that contains the files. */
  readonly folder: string;
}

/**
 * Identifies a stored version. The number alone isn't sufficient, because the numbers start at 1 again after a function
 * has been removed, and a number is used again if the server stops before the version is activated.
 */
export interface WantedVersion {
  readonly id: string;
  readonly slug: string;
  readonly version: number;
  readonly sha256?: string | undefined;
}

export interface ChangedFunction {
  readonly name?: string | undefined;
  readonly verifyJwt?: boolean | undefined;
}

/** Deploys, lists and removes functions while the server runs. */
export interface Deployments {
  /** The limits of a single function. */
  readonly limits: { readonly bytes: number; readonly files: number };
  /** Returns the deployed functions, sorted by slug. */
  list(): readonly DeployedVersion[];
  find(slug: string): DeployedVersion | undefined;
  /** Whether any version of the function is stored, including a version that isn't active yet. */
  has(slug: string): boolean;
  /**
   * Stores a version. The version is served immediately or, if `isStaged` is set, after {@link activate} has been
   * called.
   * @throws {DeployError} if a name, a path or a size isn't allowed
   */
  deploy(deployment: Deployment, isStaged?: boolean): Promise<DeployedVersion>;
  /**
   * Starts serving the given staged versions, either all of them or none. Settings that a deployment didn't specify
   * are those of the version that is current at this time.
   * @throws {DeployError} if one of the versions isn't staged
   */
  activate(versions: readonly WantedVersion[]): readonly DeployedVersion[];
  /** Changes the settings of a function by creating a version with the same files. @throws {DeployError} */
  change(slug: string, changes: ChangedFunction): DeployedVersion;
  /**
   * Removes a function, including a version that isn't active yet, so that the function with the same name in the
   * project folder, if any, is served.
   * @throws {DeployError}
   */
  remove(slug: string): void;
  /** Returns the files of the function's current version. @throws {DeployError} if the function isn't deployed */
  files(slug: string): Promise<readonly FunctionFile[]>;
}

/**
 * Function names (slugs), which begin with a letter and contain letters, digits, `_` and `-`, as in version 3.1 of
 * upstream's CLI.
 */
export const slugPattern = /^[A-Za-z][A-Za-z0-9_-]*$/;
