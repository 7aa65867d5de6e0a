/** Reads the sizes of the Console's scripts from its build. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

export interface ScriptSize {
  readonly name: string;
  /** The compressed size in KiB. */
  readonly size: number;
}

export interface ScriptSizes {
  /** The scripts that a table's first view needs before its parts are opened. */
  readonly tablePage: number;
  /**
   * What each lazily loaded part adds to the first load, with its static imports. Parts that have an editor are listed
   * with and without it. The largest part is first.
   */
  readonly parts: readonly ScriptSize[];
}

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
  readonly dynamicImports?: readonly string[];
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
}

const kib = 1024;

export function scriptSizes(): ScriptSizes {
  const folder = fileURLToPath(new URL('../../dist/web/console/', import.meta.url));
  const manifest = JSON.parse(readFileSync(`${folder}.vite/manifest.json`, 'utf8')) as Record<string, Chunk>;
  const assets = new Set(readdirSync(`${folder}assets`));
  const keys = Object.keys(manifest);
  const reached = (key: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(key)) return seen;
    seen.add(key);
    for (const each of manifest[key]?.imports ?? []) reached(each, seen);
    return seen;
  };
  const sizeOf = (chunks: Iterable<string>): number =>
    [...chunks]
      .map((each) => manifest[each]?.file ?? '')
      .filter((file) => file.endsWith('.js') && assets.has(file.replace('assets/', '')))
      .reduce((sum, file) => sum + gzipSync(readFileSync(folder + file)).length / kib, 0);
  const named = (part: string): Set<string> => {
    const found = keys.find((key) => key.endsWith(part) && manifest[key]?.isDynamicEntry === true);
    if (found === undefined) throw new Error(`The build has no chunk for ${part}.`);
    return reached(found);
  };
  const first = reached(keys.find((key) => manifest[key]?.isEntry === true) ?? '');
  const editor = named('editor/sql-editor.tsx');
  const parts = keys
    .filter((key) => manifest[key]?.isDynamicEntry === true && key.includes('features/'))
    .map((key) => ({ key, name: key.replace(/^.*features\//, ''), chunks: reached(key) }));
  const edited = parts
    .filter(({ key }) => manifest[key]?.dynamicImports?.some((each) => editor.has(each)) === true)
    .map(({ name, chunks }) => ({ name: `${name} and its editor`, chunks: chunks.union(editor) }));
  return {
    tablePage: sizeOf(
      first.union(named('tables/list/tables-page.tsx')).union(named('tables/rows/table-page.tsx')),
    ),
    parts: [...parts, ...edited]
      .map(({ name, chunks }) => ({ name, size: sizeOf(chunks.difference(first)) }))
      .sort((left, right) => right.size - left.size),
  };
}
