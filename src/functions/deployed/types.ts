/** Functions that were deployed to a running server, as opposed to those in the project folder. */

export interface FunctionFile {
  /** The path relative to the folder from which the function was deployed, with `/` as the separator. */
  readonly path: string;
  readonly content: Buffer;
}

export interface Deployment {
  readonly slug: string;
  /** Defaults to the slug. */
  readonly name?: string | undefined;
  /** The paths of files in the upload. */
  readonly entrypointPath: string;
  readonly importMapPath?: string | undefined;
  /** Defaults to the value of the previous version, or to true. */
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
  /**
   * Stores a version. It is served immediately or, if `isStaged` is set, after a call to {@link activate}.
   * @throws {DeployError} if a name, a path or a size isn't allowed
   */
  deploy(deployment: Deployment, isStaged?: boolean): Promise<DeployedVersion>;
  /** Serves either all or none of the staged versions. @throws {DeployError} if one of them isn't staged */
  activate(
    versions: readonly { readonly slug: string; readonly version: number }[],
  ): readonly DeployedVersion[];
  /** Changes the settings of a function, which creates a version with the same files. @throws {DeployError} */
  change(slug: string, changes: ChangedFunction): DeployedVersion;
  /** Removes a function, so that the project folder's function with the same name is served. @throws {DeployError} */
  remove(slug: string): void;
  /** Returns the files of the current version. @throws {DeployError} if the function isn't deployed */
  files(slug: string): Promise<readonly FunctionFile[]>;
}
