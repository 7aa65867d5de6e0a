/** Writes an app template into a folder. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedVersion } from '../shared/version.ts';
import { manifestFor, packageName, type Template, templates } from './core/templates.ts';
import { CommandError } from './errors.ts';

const root = fileURLToPath(new URL('../../templates/', import.meta.url));

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
    .map((source) => ({ source, path: source.slice(folder.length + 1).replaceAll('\\', '/') }));
  const common = Object.entries(shared).map(([from, path]) => ({ source: join(root, 'shared', from), path }));
  return [...own, ...common];
}

/**
 * Writes the template. Replaces existing files only with `force`.
 * @throws {CommandError} if a file exists. Nothing is written.
 */
export function writeTemplate(
  name: string,
  projectDir: string,
  { force }: { readonly force: boolean },
): void {
  const files = filesOf(name, templates[name] as Template);
  const existing = files.filter(({ path }) => existsSync(join(projectDir, path))).map(({ path }) => path);
  if (existing.length > 0 && !force)
    throw new CommandError(
      `The template would replace ${existing.slice(0, 3).join(', ')}${existing.length > 3 ? ' and other files' : ''}.`,
      'Use an empty folder, or --force to replace the files.',
    );
  const facts = { name: packageName(basename(projectDir)), version: installedVersion() };
  for (const { path, source } of files) {
    const to = join(projectDir, path);
    mkdirSync(dirname(to), { recursive: true });
    const content = readFileSync(source);
    writeFileSync(to, path === 'package.json' ? manifestFor(content.toString(), facts) : content);
  }
}
