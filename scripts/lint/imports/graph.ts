/** Builds the graph of all imports. Every import specifier is resolved to a file path. */
import { posix } from 'node:path';
import { parseSync } from 'vite';

export interface Import {
  /** The path to the imported file, relative to the repository. */
  readonly target: string;
  /**
   * Whether the import doesn't exist at run time, such as an `import type`, an `export type`, or an `import('...')` in
   * a type.
   */
  readonly typeOnly: boolean;
  /** The line number, starting at 1. */
  readonly line: number;
}

/** The imports of each file, by the file's path relative to the repository. */
export type Graph = ReadonlyMap<string, readonly Import[]>;

export const importGraph = (sources: ReadonlyMap<string, string>): Graph =>
  new Map([...sources].map(([path, text]) => [path, importsOf(path, text)]));

/** Returns a file's imports of other files in the repository, without its imports of packages. */
function importsOf(path: string, text: string): readonly Import[] {
  const { module } = parseSync(path, text);
  const found: Import[] = [];
  const add = (specifier: string, typeOnly: boolean, start: number): void => {
    if (!specifier.startsWith('.')) return;
    const [file = ''] = specifier.split('?');
    const target = posix.join(posix.dirname(path), file);
    found.push({ target, typeOnly, line: text.slice(0, start).split('\n').length });
  };
  for (const { start, moduleRequest } of module.staticImports) {
    add(moduleRequest.value, /^import\s+type\b/.test(text.slice(start)), start);
  }
  for (const { start, entries } of module.staticExports) {
    // If `a` is imported, the list also contains an entry for `export { a }`. This entry has the position of the
    // import.
    const source = entries.find(({ moduleRequest }) => moduleRequest !== null)?.moduleRequest;
    if (source == null || !text.startsWith('export', start)) continue;
    add(source.value, /^export\s+type\b/.test(text.slice(start)), start);
  }
  const calls = new Set(module.dynamicImports.map(({ start }) => start));
  for (const { 2: specifier = '', index } of text.matchAll(/\bimport\(\s*(['"`])([^'"`$]+)\1/g)) {
    add(specifier, !calls.has(index), index);
  }
  return found;
}
