/**
 * Saves edited files of a function: in the project folder in development, and as a new version if the function was
 * deployed. Each file must still be the one that the operator edited.
 */
import { createHash } from 'node:crypto';
import { OutsideFolders } from '../../../base/kernel/real-path.ts';
import type { FunctionFacts, FunctionFile, FunctionsService } from '../../../services/functions/index.ts';
import { ConsoleError, outsideFolders } from '../errors.ts';
import type { FunctionFolder } from '../mcp/types.ts';
import type { FunctionEditing, SavedFile } from './contract.ts';

export interface SaveDeps {
  readonly functions: Pick<FunctionsService, 'describe' | 'deployments' | 'files'>;
  /** Undefined in production, where the project folder isn't changed. */
  readonly folder: FunctionFolder | undefined;
}

/** Returns where changes of the function's files are saved, or null if they can't be saved. */
export function editingOf({ functions, folder }: SaveDeps, slug: string): FunctionEditing {
  const facts = functions.describe(slug);
  if (facts === undefined) return null;
  if (facts.deployedVersion !== null) return 'deployment';
  return folder !== undefined && isInOwnFolder(facts) ? 'folder' : null;
}

/** Whether the paths of the function's files are relative to the folder with its name. */
const isInOwnFolder = ({ slug, entrypoint }: FunctionFacts): boolean =>
  entrypoint.startsWith(`functions/${slug}/`) && entrypoint.split('/').length === 3;

/**
 * Saves the files. Returns the number of the new version, or null for a function in the project folder.
 * @throws {ConsoleError} refused if the files can't be saved, conflict if a file has changed since it was read
 */
export async function saveFiles(
  deps: SaveDeps,
  slug: string,
  files: readonly SavedFile[],
): Promise<number | null> {
  const editing = editingOf(deps, slug);
  if (editing === null) throw new ConsoleError('refused', { message: "This function can't be edited here." });
  try {
    if (editing === 'deployment') return await deployFiles(deps, slug, files);
    await writeFiles(deps.folder as FunctionFolder, slug, files);
    return null;
  } catch (error) {
    throw reasonOf(error);
  }
}

async function writeFiles(folder: FunctionFolder, slug: string, files: readonly SavedFile[]): Promise<void> {
  const current = await folder.read(slug);
  if (current === undefined) throw new ConsoleError('not_found', { message: "This function doesn't exist." });
  requireUnchanged(current, files);
  await folder.save(
    slug,
    files.map(({ path, text }) => ({ path: `${slug}/${path}`, content: Buffer.from(text) })),
  );
}

async function deployFiles(
  { functions: { deployments } }: SaveDeps,
  slug: string,
  files: readonly SavedFile[],
): Promise<number> {
  const deployed = deployments.find(slug);
  if (deployed === undefined)
    throw new ConsoleError('not_found', { message: "This function doesn't exist." });
  const current = await deployments.files(slug);
  requireUnchanged(current, files);
  const edited = new Map(files.map(({ path, text }) => [path, Buffer.from(text)]));
  const { name, entrypointPath, importMapPath, verifyJwt } = deployed;
  const { version } = await deployments.deploy({
    slug,
    name,
    entrypointPath,
    importMapPath,
    verifyJwt,
    files: [
      ...current.filter(({ path }) => !edited.has(path)),
      ...[...edited].map(([path, content]) => ({ path, content })),
    ],
  });
  return version;
}

function requireUnchanged(current: readonly FunctionFile[], files: readonly SavedFile[]): void {
  for (const { path, revision } of files) {
    const found = current.find((each) => each.path === path);
    const now = found === undefined ? null : createHash('sha256').update(found.content).digest('hex');
    if (now !== revision)
      throw new ConsoleError('conflict', {
        message:
          now === null
            ? `${path} has been deleted since you opened it.`
            : revision === null
              ? `${path} already exists.`
              : `${path} has changed since you opened it.`,
        path,
      });
  }
}

/** The names of the errors whose messages explain why the files can't be saved. */
const explained = ['DeployError', 'ProjectError'];

function reasonOf(error: unknown): unknown {
  if (error instanceof OutsideFolders) return outsideFolders(error);
  if (!(error instanceof Error)) return error;
  if (explained.includes(error.name))
    return new ConsoleError('bad_request', { message: error.message }, { cause: error });
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EROFS' && code !== 'EACCES' && code !== 'EPERM') return error;
  const message = 'The project folder is read-only here, so the Console can’t change files in it.';
  return new ConsoleError('refused', { message }, { cause: error });
}
