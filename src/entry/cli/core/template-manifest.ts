/** Creates the package.json of a project with an app template, and merges it with a package.json that already exists. */

interface Manifest {
  readonly [key: string]: unknown;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface ManifestFacts {
  readonly name: string;
  /** The specifier with which npm installs this version of Plinth. */
  readonly plinth: string;
}

export interface MergedManifest {
  readonly text: string;
  /** The names of scripts that the project already has, and that differ from those of the template. */
  readonly keptScripts: readonly string[];
}

/** Inserts the project's name and the specifier of Plinth's package. */
export function manifestFor(text: string, { name, plinth }: ManifestFacts): string {
  return text
    .replace('"name": "app"', () => `"name": ${JSON.stringify(name)}`)
    .replace('"PLINTH_VERSION"', () => JSON.stringify(plinth));
}

/**
 * Adds the template's scripts and packages to an existing package.json. The entries of the existing file take
 * precedence, except `type`, because the template's files are ES modules.
 *
 * @throws {SyntaxError} if the existing text isn't a JSON object
 */
export function mergedManifest(existing: string, template: string): MergedManifest {
  const own: unknown = JSON.parse(existing.replace(/^\uFEFF/, ''));
  if (typeof own !== 'object' || own === null || Array.isArray(own)) throw new SyntaxError('not an object');
  const mine = own as Manifest;
  const added = JSON.parse(template) as Manifest;
  // npm rejects a package that is listed in both groups with different versions.
  const withoutOthers = (group: Manifest['dependencies'] = {}, others: Manifest['dependencies'] = {}) =>
    Object.fromEntries(Object.entries(group).filter(([name]) => !Object.hasOwn(others, name)));
  const scripts = { ...added.scripts, ...withoutPlaceholder(mine.scripts) };
  const merged = {
    ...added,
    ...mine,
    ...(added.type === undefined ? {} : { type: added.type }),
    // Expo starts the file in `main`. npm init writes index.js even if the file doesn't exist.
    ...(added.main === undefined ? {} : { main: added.main }),
    scripts,
    dependencies: sorted({
      ...withoutOthers(added.dependencies, mine.devDependencies),
      ...mine.dependencies,
    }),
    devDependencies: sorted({
      ...withoutOthers(added.devDependencies, mine.dependencies),
      ...mine.devDependencies,
    }),
  };
  return {
    text: `${JSON.stringify(merged, null, 2)}\n`,
    keptScripts: Object.entries(added.scripts ?? {}).flatMap(([name, command]) =>
      scripts[name] === command ? [] : [name],
    ),
  };
}

/** Removes the test script that `npm init` writes. */
function withoutPlaceholder(scripts: Manifest['scripts'] = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(scripts).filter(([, command]) => !command.includes('Error: no test specified')),
  );
}

const sorted = (group: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(group).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Appends the template's lines that an ignore file doesn't contain yet. */
export function mergedIgnoreFile(existing: string, template: string): string {
  const known = new Set(existing.split(/\r?\n/).map((line) => line.trim()));
  const missing = template.split('\n').filter((line) => line.trim() !== '' && !known.has(line.trim()));
  if (missing.length === 0) return existing;
  const separator = existing === '' || existing.endsWith('\n') ? '' : '\n';
  return `${existing}${separator}${missing.join('\n')}\n`;
}

/** Registry specifiers such as `^1.2.0`, `latest` or `>=1 <2`, which don't identify a single version. */
const fromRegistry = /^(?:[\^~<>=v*x\d\s|.,-][\w.\s^~<>=|*+-]*|[a-z][\w-]*|)$/i;

/**
 * Returns the specifier for a project's package.json: the installed version if it comes from a registry, and otherwise
 * the file, folder, Git repository or URL from which Plinth was installed.
 *
 * @example projectSpecifier('file:../plinth-1.0.0.tgz', '1.0.0', (path) => path); // 'file:../plinth-1.0.0.tgz'
 */
export function projectSpecifier(
  installed: string | undefined,
  version: string,
  relocated: (path: string) => string,
): string {
  if (installed === undefined || fromRegistry.test(installed.trim())) return version;
  const isFile = /^(?:(?:file|link|portal):|\.{1,2}[\\/]|[\\/]|~\/|[A-Za-z]:[\\/])/.test(installed);
  return isFile ? `file:${relocated(installed.replace(/^(?:file|link|portal):/, ''))}` : installed;
}
