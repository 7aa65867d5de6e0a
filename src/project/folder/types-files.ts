/** Finds the files with the project's generated types, which can declare a table that no migration creates. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readTypes, type TypesModel } from '../types-file/index.ts';

export interface TypesFile {
  /** The path relative to the project folder, such as `src/integrations/supabase/types.ts`. */
  readonly path: string;
  readonly model: TypesModel;
}

/** Folders that don't contain the project's own source files. */
const skipped = new Set([
  'node_modules',
  'dist',
  'build',
  'out',
  'coverage',
  'vendor',
  'ios',
  'android',
  'public',
]);
const deepest = 7;
const maxEntries = 20_000;
const maxFileBytes = 8_000_000;

/** Returns the files that declare a `Database` with tables. Files closer to the project folder come first. */
export function findTypesFiles(projectDir: string): TypesFile[] {
  const paths: string[] = [];
  const folders: { readonly path: string; readonly depth: number }[] = [{ path: '', depth: 0 }];
  let seen = 0;
  for (let folder = folders.shift(); folder !== undefined && seen < maxEntries; folder = folders.shift()) {
    for (const entry of readdirSync(join(projectDir, folder.path), { withFileTypes: true })) {
      seen++;
      const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
      if (entry.isDirectory()) {
        const isWanted = !entry.name.startsWith('.') && !skipped.has(entry.name) && folder.depth < deepest;
        if (isWanted) folders.push({ path, depth: folder.depth + 1 });
      } else if (/\.ts$/.test(entry.name) && /type|database|supabase|schema/i.test(path)) paths.push(path);
    }
  }
  return paths.flatMap((path) => {
    const model = readModel(join(projectDir, path));
    return model === undefined ? [] : [{ path, model }];
  });
}

function readModel(path: string): TypesModel | undefined {
  if (statSync(path).size > maxFileBytes) return undefined;
  const text = readFileSync(path, 'utf8');
  return /\bDatabase\b/.test(text) && /\bTables\b/.test(text) ? readTypes(text) : undefined;
}

/** Returns the first file that contains the table, view, enum, composite type or function. */
export function typesFileNaming(
  files: readonly TypesFile[],
  schema: string | undefined,
  name: string,
): string | undefined {
  return files.find(({ model }) =>
    model.schemas.some(
      (one) =>
        one.name === (schema ?? 'public') &&
        [one.tables, one.views, one.enums, one.compositeTypes, one.functions].some((part) =>
          part.some((object) => object.name === name),
        ),
    ),
  )?.path;
}
