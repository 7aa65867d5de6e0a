/** Writes an app template into a folder, whose package.json refers to Plinth as a package manager has installed it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedVersion } from '../../base/shared/files.ts';
import {
  type MergedManifest,
  manifestFor,
  mergedIgnoreFile,
  mergedManifest,
  projectSpecifier,
} from './core/template-manifest.ts';
import { packageName, type Template, templates } from './core/templates.ts';
import { CommandError } from './errors.ts';

const root = fileURLToPath(new URL('../../../templates/', import.meta.url));

interface File {
  /** The file's path relative to the project folder. */
  readonly path: string;
  readonly source: string;
}

/** Returns a template's files. Names use slashes. */
function filesOf(name: string, { shared }: Template): readonly File[] {
  const folder = join(root, name);
  const own = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((source) => ({ source, path: source.slice(folder.length + 1).replaceAll('\\', '/') }))
    // Agents also need the instructions for the backend, so another module writes this file.
    .filter(({ path }) => path !== 'AGENTS.md');
  const common = Object.entries(shared).map(([from, path]) => ({ source: join(root, from), path }));
  return [...own, ...common];
}

/** Existing files that remain, because the template doesn't need its own version. */
const kept = new Set(['README.md']);
/** Files that are merged with existing files. */
const merged = new Set(['package.json', '.gitignore']);

/**
 * Writes the template. Adds its packages and scripts to an existing package.json. Replaces other existing files only
 * with `force`. Returns the names of the project's own scripts that differ from the template's scripts.
 *
 * @throws {CommandError} if a file exists. Nothing is written.
 */
export function writeTemplate(
  name: string,
  projectDir: string,
  { force }: { readonly force: boolean },
): readonly string[] {
  const files = filesOf(name, templates[name] as Template);
  const exists = (path: string) => existsSync(join(projectDir, path));
  const existing = files
    .map(({ path }) => path)
    .filter((path) => exists(path) && !kept.has(path) && !merged.has(path));
  if (existing.length > 0 && !force)
    throw new CommandError(
      `The template would replace ${existing.slice(0, 3).join(', ')}${existing.length > 3 ? ' and other files' : ''}.`,
      'Use an empty folder, or --force to replace the files.',
    );
  const facts = { name: packageName(basename(projectDir)), plinth: installedFrom(projectDir) };
  const manifest = readManifest(projectDir, manifestFor(templateText(files, 'package.json'), facts));
  for (const { path, source } of files) {
    const to = join(projectDir, path);
    if (kept.has(path) && exists(path) && !force) continue;
    mkdirSync(dirname(to), { recursive: true });
    if (path === 'package.json') writeFileSync(to, manifest.text);
    else if (merged.has(path) && exists(path))
      writeFileSync(to, mergedIgnoreFile(readFileSync(to, 'utf8'), readFileSync(source, 'utf8')));
    else writeFileSync(to, readFileSync(source));
  }
  return manifest.keptScripts;
}

const templateText = (files: readonly File[], wanted: string): string =>
  readFileSync(files.find(({ path }) => path === wanted)?.source ?? '', 'utf8');

function readManifest(projectDir: string, template: string): MergedManifest {
  const file = join(projectDir, 'package.json');
  if (!existsSync(file)) return { text: template, keptScripts: [] };
  try {
    return mergedManifest(readFileSync(file, 'utf8'), template);
  } catch (error) {
    throw new CommandError(`${file} isn't valid JSON: ${(error as Error).message}`);
  }
}

/**
 * Returns the specifier for the package.json of `projectDir`. The package's parent folders contain the package.json
 * that lists Plinth: the project's own file, the file of a global installation, or the file that npx has written to its
 * cache.
 */
function installedFrom(projectDir: string): string {
  const root = dirname(fileURLToPath(new URL('../../../package.json', import.meta.url)));
  for (let folder = dirname(root); folder !== dirname(folder); folder = dirname(folder)) {
    const installed = specifierIn(folder);
    if (installed !== undefined)
      return projectSpecifier(installed, installedVersion(), (path) => {
        const target = resolve(folder, path.replace(/^~(?=\/)/, homedir()));
        return relative(projectDir, target).replaceAll('\\', '/');
      });
  }
  return installedVersion();
}

function specifierIn(folder: string): string | undefined {
  try {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return devDependencies?.plinth ?? dependencies?.plinth;
  } catch {
    return undefined;
  }
}
