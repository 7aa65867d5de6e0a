/** Reads and writes functions in `supabase/functions/`, and reads the secrets in the folder's `.env` file. */
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { readTextFile } from '../../../base/shared/files.ts';
import { parseDotenv } from '../../../platform/config/index.ts';
import { functionPath, isSlug } from '../core/function-path.ts';
import type { DeployedFunction, FunctionFile } from './management-api.ts';

/** Names of secrets that the functions' server sets itself. */
const isOwnSecret = (name: string): boolean => name.startsWith('SUPABASE_');

export function readSecretsFile(functionsDir: string): Record<string, string> {
  const path = join(functionsDir, '.env');
  if (!existsSync(path)) return {};
  const entries = [...parseDotenv(readTextFile(path), 'supabase/functions/.env')];
  return Object.fromEntries(entries.filter(([name]) => !isOwnSecret(name)));
}

/** Returns the names of the source's secrets that are missing in the local file. */
export const missingSecrets = (names: readonly string[], functionsDir: string): string[] => {
  const values = readSecretsFile(functionsDir);
  return names.filter((name) => !isOwnSecret(name) && values[name] === undefined);
};

export interface WrittenFunction {
  /** Whether a file was created or changed. */
  readonly isChanged: boolean;
  readonly notes: readonly string[];
}

/** Writes the files of one function. Existing files with different content are kept unless `overwrite` is set. */
export function writeFunction(
  functionsDir: string,
  slug: string,
  files: readonly FunctionFile[],
  overwrite: boolean,
): WrittenFunction {
  const notes: string[] = [];
  let isChanged = false;
  for (const { name, content } of files) {
    const path = functionPath(slug, name);
    if (path === undefined) {
      notes.push(`Function ${slug}: the file name ${JSON.stringify(name)} isn't allowed.`);
      continue;
    }
    const file = join(functionsDir, path);
    if (existsSync(file)) {
      if (readFileSync(file).equals(content)) continue;
      if (!overwrite) {
        notes.push(`Function ${slug}: ${path} exists with different content. --overwrite replaces it.`);
        continue;
      }
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    isChanged = true;
  }
  return { isChanged, notes };
}

/**
 * Reads all functions with an entrypoint. Each function is deployed with its own folder and the folders whose names
 * begin with `_`.
 */
export function readFunctions(
  functionsDir: string,
  verifyJwt: (slug: string) => boolean,
): DeployedFunction[] {
  if (!existsSync(functionsDir)) return [];
  const folders = readdirSync(functionsDir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const filesOf = (folder: string): FunctionFile[] =>
    globSync(`${folder}/**/*`, { cwd: functionsDir, withFileTypes: true })
      .filter(
        (entry) =>
          entry.isFile() && !entry.parentPath.includes('node_modules') && !/^\.(env|npmrc)/.test(entry.name),
      )
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return {
          name: `supabase/functions/${path.slice(functionsDir.length + 1).replaceAll(sep, '/')}`,
          content: readFileSync(path),
        };
      });
  const shared = folders.filter(({ name }) => name.startsWith('_')).flatMap(({ name }) => filesOf(name));
  return folders
    .filter(({ name }) => isSlug(name) && existsSync(join(functionsDir, name, 'index.ts')))
    .map(({ name }) => ({
      slug: name,
      verifyJwt: verifyJwt(name),
      entrypoint: `supabase/functions/${name}/index.ts`,
      files: [...filesOf(name), ...shared],
    }));
}
