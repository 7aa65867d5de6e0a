/**
 * Finds the Deno workspace to which a function's deno.json belongs. Deno reads the imports of the workspace's root and
 * the names of the members, so these files are part of the function's deployment.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { parseCommented } from '../core/module-specifiers.ts';

export interface DenoWorkspace {
  /** The path of the root's configuration file, relative to the project folder. */
  readonly root: string;
  /** The paths of the members' configuration files and package.json files, relative to the project folder. */
  readonly members: readonly string[];
}

/** Returns the workspace that lists the folder of a configuration file, or undefined if there is none. */
export function workspaceOf(projectDir: string, config: string): DenoWorkspace | undefined {
  const folder = posix.dirname(config);
  for (let parent = folder; parent !== '.'; ) {
    parent = posix.dirname(parent);
    for (const name of configNames) {
      const root = posix.join(parent, name);
      const folders = isFile(join(projectDir, root)) ? membersIn(projectDir, root) : [];
      if (folders.includes(folder))
        return { root, members: folders.flatMap((member) => filesIn(projectDir, member)) };
    }
  }
  return undefined;
}

const configNames = ['deno.json', 'deno.jsonc'];

/** Returns the folders that a workspace lists. A file that can't be parsed is reported when the function starts. */
function membersIn(projectDir: string, root: string): string[] {
  const folder = dirname(join(projectDir, root));
  let listed: unknown;
  try {
    const { workspace } = parseCommented(readFileSync(join(projectDir, root), 'utf8'));
    listed = Array.isArray(workspace) ? workspace : (workspace as { members?: unknown } | undefined)?.members;
  } catch {
    return [];
  }
  const patterns = Array.isArray(listed) ? listed.filter((each) => typeof each === 'string') : [];
  return patterns
    .flatMap((pattern) => globSync(pattern, { cwd: folder }))
    .map((member) => posix.join(posix.dirname(root), member.replaceAll('\\', '/'), '.'))
    // Deno rejects members outside the workspace's folder.
    .filter((member) => !member.startsWith('..'));
}

const filesIn = (projectDir: string, folder: string): string[] =>
  [...configNames, 'package.json']
    .map((name) => posix.join(folder, name))
    .filter((path) => isFile(join(projectDir, path)));

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
