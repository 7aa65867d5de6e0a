/** Copies functions from a Management API to files, or from files to a Management API. */

import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { readTextFile } from '../../../base/shared/files.ts';
import { parseDotenv } from '../../../platform/config/index.ts';
import {
  createManagementApi,
  type DeployedFunction,
  type FunctionFile,
  functionPath,
  isSlug,
  type ManagementAccess,
} from './management-api.ts';

export interface FunctionsReport {
  /** The slugs of functions that were written or deployed. */
  readonly functions: readonly string[];
  /** Functions for which the project's settings must turn off the check of JWTs. */
  readonly withoutJwt: readonly string[];
  readonly notes: readonly string[];
}

export async function downloadFunctions(
  access: ManagementAccess,
  functionsDir: string,
  { overwrite, check }: { readonly overwrite: boolean; readonly check: boolean },
): Promise<FunctionsReport> {
  const api = createManagementApi(access);
  const functions: string[] = [];
  const withoutJwt: string[] = [];
  const notes: string[] = [];
  for (const { slug, verifyJwt } of await api.listFunctions()) {
    if (!verifyJwt) withoutJwt.push(slug);
    if (check) {
      functions.push(slug);
      continue;
    }
    const written = writeFunction(functionsDir, slug, await api.readFiles(slug), overwrite);
    if (written.isChanged) functions.push(slug);
    notes.push(...written.notes);
  }
  const missing = missingSecrets(await api.secretNames(), functionsDir);
  if (missing.length > 0)
    notes.push(
      `Function secrets: the API doesn't return the values of ${missing.join(', ')}. Set them in supabase/functions/.env.`,
    );
  return { functions, withoutJwt, notes };
}

export async function deployFunctions(
  access: ManagementAccess,
  functionsDir: string,
  verifyJwt: (slug: string) => boolean,
  check: boolean,
): Promise<FunctionsReport> {
  const api = createManagementApi(access);
  const functions = readFunctions(functionsDir, verifyJwt);
  const secrets = readSecretsFile(functionsDir);
  if (!check) {
    for (const each of functions) await api.deploy(each);
    if (Object.keys(secrets).length > 0) await api.setSecrets(secrets);
  }
  return {
    functions: functions.map(({ slug }) => slug),
    withoutJwt: [],
    notes:
      Object.keys(secrets).length === 0
        ? []
        : [`Function secrets: ${Object.keys(secrets).sort().join(', ')}.`],
  };
}

/** Names of secrets that the functions' server sets itself. */
const isOwnSecret = (name: string): boolean => name.startsWith('SUPABASE_');

/** Reads and writes functions in `supabase/functions/`, and reads the secrets in the folder's `.env` file. */
function readSecretsFile(functionsDir: string): Record<string, string> {
  const path = join(functionsDir, '.env');
  if (!existsSync(path)) return {};
  const entries = [...parseDotenv(readTextFile(path), 'supabase/functions/.env')];
  return Object.fromEntries(entries.filter(([name]) => !isOwnSecret(name)));
}

/** Returns the names of the source's secrets that are missing in the local file. */
const missingSecrets = (names: readonly string[], functionsDir: string): string[] => {
  const values = readSecretsFile(functionsDir);
  return names.filter((name) => !isOwnSecret(name) && values[name] === undefined);
};

interface WrittenFunction {
  /** Whether a file was created or changed. */
  readonly isChanged: boolean;
  readonly notes: readonly string[];
}

/** Writes the files of one function. Existing files with different content are kept unless `overwrite` is set. */
function writeFunction(
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
function readFunctions(functionsDir: string, verifyJwt: (slug: string) => boolean): DeployedFunction[] {
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
