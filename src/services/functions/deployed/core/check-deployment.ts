/**
 * Checks a deployment (the function's name, and the paths and the size of its files), and determines the settings of the
 * version that it creates.
 */

import { isLonger } from '../../../../base/shared/text-length.ts';
import { DeployError } from '../../errors.ts';
import { type DeployedVersion, type Deployment, slugPattern } from '../types.ts';

/** The maximum size of one function's files, which is upstream's limit for a bundled function. */
export const maxFunctionBytes = 20 * 1024 * 1024;
export const maxFunctionFiles = 1000;
export const maxFunctions = 100;
/**
 * The maximum total size of all deployed functions. The size is limited because each backup of the project's files
 * contains all deployed functions.
 */
export const maxTotalBytes = 200 * 1024 * 1024;
const maxSlugChars = 100;
const maxNameChars = 200;

/** Checks a function's slug. @throws {DeployError} invalid */
function checkSlug(slug: string): void {
  if (slug.length > maxSlugChars || !slugPattern.test(slug))
    throw new DeployError(
      'invalid',
      `Invalid Function name. Must start with at least one letter, and only include alphanumeric characters, underscores, and hyphens. (${slugPattern.source})`,
    );
}

/** Checks a function's name. @throws {DeployError} invalid */
function checkName(name: string | undefined): void {
  if (name !== undefined && (name === '' || isLonger(name, maxNameChars) || /\p{Cc}/u.test(name)))
    throw new DeployError('invalid', `name must be printable text of 1 to ${maxNameChars} characters.`);
}

/**
 * Returns the deployment with normalized paths.
 * @throws {DeployError} invalid, tooLarge
 */
export function checkDeployment(deployment: Deployment): Deployment {
  checkSlug(deployment.slug);
  checkName(deployment.name);
  const { files } = deployment;
  if (files.length > maxFunctionFiles)
    throw new DeployError('tooLarge', `A function can have at most ${maxFunctionFiles} files.`);
  if (files.reduce((sum, { content }) => sum + content.length, 0) > maxFunctionBytes)
    throw new DeployError(
      'tooLarge',
      `A function can have at most ${maxFunctionBytes / 2 ** 20} MiB of files.`,
    );
  const checked = files.map(({ path, content }) => ({ path: allowed(path), content }));
  const paths = checked.map(({ path }) => path);
  if (conflicts(paths))
    throw new DeployError(
      'invalid',
      'Two of the files have the same path, or a file is also used as a folder.',
    );
  const entrypointPath = existing('entrypoint_path', deployment.entrypointPath, paths);
  const importMapPath =
    deployment.importMapPath === undefined
      ? undefined
      : existing('import_map_path', deployment.importMapPath, paths);
  return { ...deployment, files: checked, entrypointPath, importMapPath };
}

function allowed(path: string): string {
  const found = archivePath(path);
  if (found === undefined)
    throw new DeployError(
      'invalid',
      `The file path ${JSON.stringify(path.slice(0, 200))} isn't allowed. Paths must be relative and stay inside the project folder.`,
    );
  return found;
}

function existing(field: string, path: string, paths: readonly string[]): string {
  const found = allowed(path);
  if (!paths.includes(found))
    throw new DeployError('invalid', `${field}: the upload doesn't contain ${found}.`);
  return found;
}

/**
 * The maximum length of a path. This length suffices for source files, and together with the data folder's path, it is
 * short enough for all file systems.
 */
const maxPathChars = 400;
const maxNameBytes = 200;
/** Control characters, and characters that Windows doesn't allow in file names or treats as folder separators. */
const forbidden = /[\p{Cc}\p{Cs}\\:*?"<>|]/u;

/**
 * Returns the path relative to the function's folder, with `/` as the separator and without `.` segments. Returns
 * undefined if the path isn't allowed.
 *
 * @example
 * archivePath('./supabase/functions/hello/index.ts'); // 'supabase/functions/hello/index.ts'
 * archivePath('../secrets.ts'); // undefined
 */
export function archivePath(text: string): string | undefined {
  if (text.length > maxPathChars || text.startsWith('/') || forbidden.test(text)) return undefined;
  const parts = text.split('/').filter((part) => part !== '.' && part !== '');
  if (parts.length === 0 || text.endsWith('/') || parts.some((part) => !isName(part))) return undefined;
  return parts.join('/');
}

/**
 * Whether a file or folder can have this name. Windows removes dots and spaces at the end of a name, so two dots and a
 * space would refer to the parent folder.
 */
const isName = (part: string): boolean => !/[. ]$/.test(part) && Buffer.byteLength(part) <= maxNameBytes;

/**
 * Whether two of the paths conflict because they refer to the same file on a case-insensitive file system, or because
 * one path uses the other as a folder.
 */
export function conflicts(paths: readonly string[]): boolean {
  const files = new Set(paths.map(folded));
  if (files.size < paths.length) return true;
  return [...files].some((path) => parentsOf(path).some((parent) => files.has(parent)));
}

const folded = (path: string): string => path.normalize('NFC').toLowerCase();

function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/'));
}

/** The settings that a deployment specified. The function's current version provides all other settings. */
export type GivenSettings = Pick<Deployment, 'name' | 'verifyJwt'>;

/** A version without the settings that the current version provides. */
export type StoredVersion = Omit<DeployedVersion, 'name' | 'verifyJwt'>;

/**
 * Completes a version. The version keeps its number unless the current version has the same or a higher number, because
 * the numbers of a function never decrease.
 */
export function withSettings(
  version: StoredVersion,
  given: GivenSettings,
  current: DeployedVersion | undefined,
): DeployedVersion {
  return {
    ...version,
    id: current?.id ?? version.id,
    name: given.name ?? current?.name ?? version.slug,
    version: Math.max(version.version, (current?.version ?? 0) + 1),
    verifyJwt: given.verifyJwt ?? current?.verifyJwt ?? true,
    createdAt: current?.createdAt ?? version.createdAt,
  };
}
