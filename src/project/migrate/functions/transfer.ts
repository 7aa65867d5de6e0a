/** Copies functions from a Management API to files, or from files to a Management API. */
import { missingSecrets, readFunctions, readSecretsFile, writeFunction } from './files.ts';
import { createManagementApi, type ManagementAccess } from './management-api.ts';

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
