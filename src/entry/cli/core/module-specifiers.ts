/** Finds the local files that a module imports, so that a function can be deployed with all modules that it uses. */

/** The parts of an import map or deno.json that affect how imports are resolved. */
export interface ImportMap {
  /**
   * The file's path relative to the project folder. Relative targets in the file are resolved against the file's
   * folder.
   */
  readonly path: string;
  readonly imports: Readonly<Record<string, string>>;
  readonly scopes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const text = `["']([^"'\\n]+)["']`;
/** Matches `import … from "x"` and `export … from "x"`, which can span several lines. */
const from = new RegExp(`\\b(?:import|export)\\b[^"'\`;]{0,5000}?\\bfrom\\s*${text}`, 'g');
const sideEffect = new RegExp(`\\bimport\\s*${text}`, 'g');
const dynamic = new RegExp(`\\bimport\\s*\\(\\s*${text}`, 'g');

/**
 * Returns the specifiers of imports and exports. The module isn't parsed, so the result can include specifiers from
 * comments.
 *
 * @example
 * specifiersIn('import { a } from "./a.ts";'); // ['./a.ts']
 */
export function specifiersIn(source: string): string[] {
  const found = [from, sideEffect, dynamic].flatMap((pattern) =>
    [...source.matchAll(pattern)].map(([, specifier = '']) => specifier),
  );
  return [...new Set(found)];
}

/** Whether the file is a module, whose imports must be followed. */
export const isModule = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path);

/**
 * Returns the path of an imported file relative to the project folder, or undefined if the import isn't a local file. A
 * path that begins with `../` is outside the project folder.
 */
export function resolveImport(specifier: string, importer: string, map?: ImportMap): string | undefined {
  const mapped = map === undefined ? undefined : mappedTarget(specifier, importer, map);
  if (mapped !== undefined && map !== undefined) return localPath(mapped, map.path);
  return localPath(specifier, importer);
}

function localPath(specifier: string, importer: string): string | undefined {
  if (!/^\.{1,2}\//.test(specifier)) return undefined;
  const folder = importer.split('/').slice(0, -1);
  const [path = ''] = specifier.split(/[?#]/, 1);
  const parts: string[] = [...folder];
  for (const part of decoded(path).split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}

/** Decodes percent escapes, because specifiers are URLs. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * Returns the target to which an import map maps a specifier. The most specific scope takes precedence, and within a
 * scope, the longest key (HTML standard, 8.1.6.2).
 */
function mappedTarget(specifier: string, importer: string, map: ImportMap): string | undefined {
  const scopes = Object.entries(map.scopes)
    .filter(([scope]) => {
      const path = localPath(scope, map.path);
      return path !== undefined && (importer === path || importer.startsWith(`${path}/`));
    })
    .sort(([a], [b]) => b.length - a.length)
    .map(([, imports]) => imports);
  for (const imports of [...scopes, map.imports]) {
    const target = targetIn(imports, specifier);
    if (target !== undefined) return target;
  }
  return undefined;
}

function targetIn(imports: Readonly<Record<string, string>>, specifier: string): string | undefined {
  if (Object.hasOwn(imports, specifier)) return imports[specifier];
  const keys = Object.keys(imports).filter((key) => key.endsWith('/') && specifier.startsWith(key));
  const [key] = keys.sort((a, b) => b.length - a.length);
  return key === undefined ? undefined : `${imports[key]}${specifier.slice(key.length)}`;
}

/**
 * Parses an import map or deno.json, which can contain comments and trailing commas.
 * @throws {SyntaxError} if the text is invalid
 */
export function parseImportMap(path: string, json: string): ImportMap & { readonly importMap?: string } {
  const { imports, scopes, importMap } = parseCommented(json);
  return {
    path,
    imports: stringsOf(imports),
    scopes: Object.fromEntries(
      Object.entries((scopes ?? {}) as object).map(([scope, entries]) => [scope, stringsOf(entries)]),
    ),
    ...(typeof importMap === 'string' ? { importMap } : {}),
  };
}

/** Parses a JSON object that can contain comments and trailing commas. @throws {SyntaxError} */
export const parseCommented = (json: string): Record<string, unknown> =>
  (JSON.parse(withoutComments(json)) as Record<string, unknown> | null) ?? {};

const stringsOf = (value: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries((value ?? {}) as object).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );

/** Removes the comments and trailing commas that aren't in strings. */
const withoutComments = (json: string): string =>
  json
    .replace(/("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_all, string?: string) => string ?? '')
    .replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_all, string?: string) => string ?? '');
