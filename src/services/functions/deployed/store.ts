/**
 * Stores deployed functions in the data folder. Each version has a separate folder, which never changes. `index.json`
 * lists the current versions and is replaced atomically, so a crash leaves either the old or the new version.
 *
 *     deployed/index.json
 *     deployed/versions/ID/…    the files of one version
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../base/kernel/clock.ts';
import { type DiskState, rejectIfFull } from '../../../base/kernel/disk.ts';
import { replaceFile } from '../../../base/kernel/replace-file.ts';
import { filesDigest } from '../../../base/shared/files-digest.ts';
import { DeployError } from '../errors.ts';
import {
  checkDeployment,
  type GivenSettings,
  maxFunctionBytes,
  maxFunctionFiles,
  maxFunctions,
  maxTotalBytes,
  type StoredVersion,
  withSettings,
} from './core/check-deployment.ts';
import type {
  ChangedFunction,
  DeployedVersion,
  Deployment,
  Deployments,
  FunctionFile,
  WantedVersion,
} from './types.ts';
import { readFiles, writeFiles } from './version-files.ts';

export interface DeployedStoreOptions {
  /** The folder `deployed` in the data folder. */
  readonly dir: string;
  readonly disk: DiskState;
  readonly clock: Clock;
  /** Whether staged versions are stored, so that other nodes can activate them. */
  readonly keepsStaged?: boolean;
  /** Limits that replace the defaults in tests. */
  readonly totals?: { readonly functions: number; readonly bytes: number };
  /** Called with the slugs of the functions whose current version has changed. */
  readonly onChange: (slugs: readonly string[]) => void;
}

/**
 * A version that isn't active yet. Its settings are determined when it is activated, because the settings of the
 * current version can change until then.
 */
interface StagedVersion {
  readonly version: StoredVersion;
  readonly given: GivenSettings;
}

export class DeployedStore implements Deployments {
  readonly limits = { bytes: maxFunctionBytes, files: maxFunctionFiles };
  readonly #options: DeployedStoreOptions;
  readonly #totals: NonNullable<DeployedStoreOptions['totals']>;
  #current: Map<string, DeployedVersion>;
  /** The newest version of each function whose newest version isn't active yet. */
  #staged: Map<string, StagedVersion>;
  /** The most recently replaced folder of each function. Workers that still process requests may read these folders. */
  readonly #replaced = new Map<string, string>();

  constructor(options: DeployedStoreOptions) {
    this.#options = options;
    this.#totals = options.totals ?? { functions: maxFunctions, bytes: maxTotalBytes };
    ({ current: this.#current, staged: this.#staged } = this.#read());
  }

  #read(): { readonly current: Map<string, DeployedVersion>; readonly staged: Map<string, StagedVersion> } {
    const { versions, staged = [] } = readIndex(this.#options.dir);
    const kept = this.#options.keepsStaged === true ? staged : [];
    return {
      current: new Map(versions.map((version) => [version.slug, version])),
      staged: new Map(kept.map((each) => [each.version.slug, each])),
    };
  }

  /** Reads the index again, because another process has replaced it. */
  reload(): void {
    const before = this.#current;
    ({ current: this.#current, staged: this.#staged } = this.#read());
    const changed = [...new Set([...before.keys(), ...this.#current.keys()])].filter(
      (slug) => !isDeepStrictEqual(before.get(slug), this.#current.get(slug)),
    );
    for (const slug of changed) {
      const old = before.get(slug);
      if (old !== undefined && old.folder !== this.#current.get(slug)?.folder) this.#discard(old);
    }
    if (changed.length > 0) this.#options.onChange(changed);
  }

  /** The folder that contains the files of a version. */
  folderOf({ folder }: DeployedVersion): string {
    return this.#pathOf(folder);
  }

  list(): readonly DeployedVersion[] {
    return [...this.#current.values()].sort((a, b) => (a.slug < b.slug ? -1 : 1));
  }

  find(slug: string): DeployedVersion | undefined {
    return this.#current.get(slug);
  }

  has(slug: string): boolean {
    return this.#current.has(slug) || this.#staged.has(slug);
  }

  async deploy(given: Deployment, isStaged = false): Promise<DeployedVersion> {
    const deployment = checkDeployment(given);
    const { slug, files } = deployment;
    const sizeBytes = files.reduce((sum, { content }) => sum + content.length, 0);
    this.#checkTotals(slug, sizeBytes);
    rejectIfFull(this.#options.disk, sizeBytes);
    const folder = randomUUID();
    try {
      await writeFiles(this.#pathOf(folder), files);
      // The totals are checked again, because another deployment may have finished while the files were being written.
      this.#checkTotals(slug, sizeBytes);
      const stored = this.#nextVersion(deployment, { folder, sizeBytes, sha256: filesDigest(files) });
      const version = withSettings(stored, deployment, this.#current.get(slug));
      const { name, verifyJwt } = deployment;
      if (isStaged) this.#stage({ version: stored, given: { name, verifyJwt } });
      else this.#commit([version]);
      return version;
    } catch (error) {
      if (this.#current.get(slug)?.folder !== folder) await this.#removeFolder(folder);
      throw error;
    }
  }

  activate(wanted: readonly WantedVersion[]): readonly DeployedVersion[] {
    const versions = new Map<string, DeployedVersion>();
    for (const { id, slug, version, sha256 } of wanted) {
      const current = this.#current.get(slug);
      const staged = this.#staged.get(slug);
      const found =
        staged?.version.version === version
          ? withSettings(staged.version, staged.given, current)
          : current?.version === version
            ? current
            : undefined;
      if (found === undefined)
        throw new DeployError(
          'invalid',
          `Version ${version} of ${slug} isn't stored. Deploy the function again.`,
        );
      if (found.id !== id || (sha256 !== undefined && found.sha256 !== sha256))
        throw new DeployError(
          'invalid',
          `Version ${version} of ${slug} is from another deployment. Deploy the function again.`,
        );
      if ((versions.get(slug)?.folder ?? found.folder) !== found.folder)
        throw new DeployError('invalid', `${slug} is listed with two versions.`);
      versions.set(slug, found);
    }
    this.#commit([...versions.values()]);
    return [...versions.values()];
  }

  change(slug: string, changes: ChangedFunction): DeployedVersion {
    const before = this.#required(slug);
    const version: DeployedVersion = {
      ...before,
      name: changes.name ?? before.name,
      verifyJwt: changes.verifyJwt ?? before.verifyJwt,
      version: this.#lastNumber(slug) + 1,
      updatedAt: this.#options.clock.now(),
    };
    this.#commit([version]);
    return version;
  }

  remove(slug: string): void {
    const staged = this.#staged.get(slug);
    const version = staged === undefined ? this.#required(slug) : this.#current.get(slug);
    // A staged version is removed as well, because activating it would restore the function.
    this.#write(without(this.#current, slug), without(this.#staged, slug));
    this.#staged.delete(slug);
    if (staged !== undefined) void this.#removeFolder(staged.version.folder);
    if (version === undefined) return;
    this.#current.delete(slug);
    this.#options.onChange([slug]);
    this.#discard(version);
  }

  async files(slug: string): Promise<readonly FunctionFile[]> {
    return await readFiles(this.folderOf(this.#required(slug)));
  }

  /**
   * Removes the folders of versions that aren't in the index. Called at startup, before any worker uses the folders.
   */
  removeUnused(): void {
    const staged = [...this.#staged.values()].map(({ version }) => version);
    const used = new Set([...this.#current.values(), ...staged].map(({ folder }) => folder));
    const versions = join(this.#options.dir, 'versions');
    mkdirSync(versions, { recursive: true, mode: 0o700 });
    for (const name of readdirSync(versions))
      if (!used.has(name)) rmSync(join(versions, name), { recursive: true, force: true });
  }

  #required(slug: string): DeployedVersion {
    const version = this.#current.get(slug);
    if (version === undefined) throw new DeployError('missing', 'Function not found');
    return version;
  }

  #nextVersion(
    { slug, entrypointPath, importMapPath }: Deployment,
    stored: Pick<DeployedVersion, 'folder' | 'sizeBytes' | 'sha256'>,
  ): StoredVersion {
    const now = this.#options.clock.now();
    return {
      id: this.#staged.get(slug)?.version.id ?? randomUUID(),
      slug,
      version: this.#lastNumber(slug) + 1,
      entrypointPath,
      importMapPath,
      createdAt: now,
      updatedAt: now,
      ...stored,
    };
  }

  #lastNumber(slug: string): number {
    return Math.max(this.#current.get(slug)?.version ?? 0, this.#staged.get(slug)?.version.version ?? 0);
  }

  #checkTotals(slug: string, sizeBytes: number): void {
    const staged = [...this.#staged.values()].map(({ version }) => version);
    const others = [...this.#current.values(), ...staged].filter((each) => each.slug !== slug);
    if (new Set(others.map((each) => each.slug)).size >= this.#totals.functions)
      throw new DeployError(
        'conflict',
        `At most ${this.#totals.functions} functions can be deployed. Delete one first.`,
      );
    const total = others.reduce((sum, each) => sum + each.sizeBytes, sizeBytes);
    if (total > this.#totals.bytes)
      throw new DeployError(
        'tooLarge',
        `All deployed functions together can't exceed ${this.#totals.bytes / 2 ** 20} MiB. Delete one first.`,
      );
  }

  #stage(staged: StagedVersion): void {
    const { slug } = staged.version;
    const before = this.#staged.get(slug);
    const next = new Map(this.#staged).set(slug, staged);
    if (this.#options.keepsStaged === true) this.#write(this.#current, next);
    this.#staged = next;
    if (before !== undefined) void this.#removeFolder(before.version.folder);
  }

  /** Makes all given versions current in one step. */
  #commit(versions: readonly DeployedVersion[]): void {
    const next = new Map(this.#current);
    for (const version of versions) next.set(version.slug, version);
    const folders = new Set(versions.map(({ folder }) => folder));
    const stillStaged = [...this.#staged].filter(([, { version }]) => !folders.has(version.folder));
    this.#write(next, new Map(stillStaged));
    for (const version of versions) {
      const before = this.#current.get(version.slug);
      this.#current.set(version.slug, version);
      if (this.#staged.get(version.slug)?.version.folder === version.folder)
        this.#staged.delete(version.slug);
      if (before !== undefined && before.folder !== version.folder) this.#discard(before);
    }
    this.#options.onChange(versions.map(({ slug }) => slug));
  }

  /**
   * Keeps the folder of a replaced version until the function is deployed again, because workers may still read its
   * files.
   */
  #discard({ slug, folder }: DeployedVersion): void {
    const before = this.#replaced.get(slug);
    this.#replaced.set(slug, folder);
    if (before !== undefined) void this.#removeFolder(before);
  }

  #pathOf(folder: string): string {
    return join(this.#options.dir, 'versions', folder);
  }

  /** If removing the folder fails, the next start of Plinth removes it. */
  async #removeFolder(folder: string): Promise<void> {
    await rm(this.#pathOf(folder), { recursive: true, force: true }).catch(() => undefined);
  }

  #write(current: ReadonlyMap<string, DeployedVersion>, staged: ReadonlyMap<string, StagedVersion>): void {
    const index: DeployedIndex = {
      versions: [...current.values()],
      ...(this.#options.keepsStaged === true ? { staged: [...staged.values()] } : {}),
    };
    mkdirSync(this.#options.dir, { recursive: true, mode: 0o700 });
    replaceFile(join(this.#options.dir, 'index.json'), `${JSON.stringify(index, null, 2)}\n`);
  }
}

/** The content of `index.json`. */
interface DeployedIndex {
  readonly versions: readonly DeployedVersion[];
  readonly staged?: readonly StagedVersion[];
}

/** Returns the names of the folders that the versions in an `index.json` use. */
export function foldersOf(index: Buffer): string[] {
  const { versions, staged = [] } = JSON.parse(index.toString()) as DeployedIndex;
  return [...versions, ...staged.map(({ version }) => version)].map(({ folder }) => folder);
}

function without<T>(map: ReadonlyMap<string, T>, slug: string): Map<string, T> {
  const rest = new Map(map);
  rest.delete(slug);
  return rest;
}

function readIndex(dir: string): DeployedIndex {
  const file = join(dir, 'index.json');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { versions: [] };
    throw error;
  }
  try {
    return JSON.parse(text) as DeployedIndex;
  } catch (error) {
    throw new Error(
      `${file} is damaged. Restore it from a backup, or remove it and deploy the functions again.`,
      {
        cause: error,
      },
    );
  }
}
