/** Checks a deployment: the function's name, and the paths and the size of its files. */
import { slugPattern } from '../../core/slug.ts';
import { DeployError } from '../errors.ts';
import type { Deployment } from '../types.ts';
import { archivePath, conflicts } from './archive-path.ts';

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
export function checkSlug(slug: string): void {
  if (slug.length > maxSlugChars || !slugPattern.test(slug))
    throw new DeployError(
      'invalid',
      `Invalid Function name. Must start with at least one letter, and only include alphanumeric characters, underscores, and hyphens. (${slugPattern.source})`,
    );
}

/** Checks a function's name. @throws {DeployError} invalid */
export function checkName(name: string | undefined): void {
  if (name !== undefined && (name === '' || name.length > maxNameChars || /\p{Cc}/u.test(name)))
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
