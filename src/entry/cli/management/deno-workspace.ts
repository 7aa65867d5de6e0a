/**
 * Finds the Deno workspace to which a function's deno.json belongs. Deno reads the imports of the workspace's root and
 * the names of the members, so these files are part of the function's deployment.
 */
import { globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { type ImportMap, parseCommented } from '../core/module-specifiers.ts';

export interface DenoWorkspace {
  /** The path of the root's configuration file, relative to the project folder. */
  readonly root: string;
  /** The paths of the members' configuration files and package.json files, relative to the project folder. */
  readonly members: readonly string[];
  /** The local modules that the members export, by the specifiers with which they are imported. */
  readonly packages: ImportMap;
}

/** Returns the workspace that lists the folder of a configuration file, or undefined if there is none. */
export function workspaceOf(projectDir: string, config: string): DenoWorkspace | undefined {
  const folder = posix.dirname(config);
  for (let parent = folder; parent !== '.'; ) {
    parent = posix.dirname(parent);
    for (const root of configNames.map((name) => posix.join(parent, name))) {
      const folders = membersIn(projectDir, root);
      if (!folders.includes(folder)) continue;
      const members = folders.flatMap((member) => filesIn(projectDir, member));
      const imports = Object.assign({}, ...members.map((path) => exportsOf(projectDir, path, parent)));
      return { root, members, packages: { path: root, imports, scopes: {} } };
    }
  }
  return undefined;
}

const configNames = ['deno.json', 'deno.jsonc'];

/** Returns the folders that a workspace lists. */
function membersIn(projectDir: string, root: string): string[] {
  const { workspace } = readConfig(join(projectDir, root));
  const listed = Array.isArray(workspace)
    ? workspace
    : (workspace as { members?: unknown } | undefined)?.members;
  const patterns = Array.isArray(listed) ? listed.filter((each) => typeof each === 'string') : [];
  return patterns
    .flatMap((pattern) => globSync(pattern, { cwd: dirname(join(projectDir, root)) }))
    .map((member) => posix.join(posix.dirname(root), member.replaceAll('\\', '/'), '.'))
    .filter((member) => !member.startsWith('..'));
}

const filesIn = (projectDir: string, folder: string): string[] =>
  [...configNames, 'package.json']
    .map((name) => posix.join(folder, name))
    .filter((path) => isFile(join(projectDir, path)));

/** Returns the modules that a member exports, by the names with which other members import them. */
function exportsOf(projectDir: string, path: string, root: string): Record<string, string> {
  const { name, exports } = readConfig(join(projectDir, path));
  if (typeof name !== 'string') return {};
  const entries =
    typeof exports === 'string' ? { '.': exports } : ((exports ?? {}) as Record<string, unknown>);
  return Object.fromEntries(
    Object.entries(entries).flatMap(([key, file]) =>
      typeof file === 'string'
        ? [[posix.join(name, key), `./${posix.relative(root, posix.join(posix.dirname(path), file))}`]]
        : [],
    ),
  );
}

/** Reads a configuration file. Deno reports a file that can't be parsed when the function starts. */
function readConfig(path: string): Record<string, unknown> {
  try {
    return isFile(path) ? parseCommented(readFileSync(path, 'utf8')) : {};
  } catch {
    return {};
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
