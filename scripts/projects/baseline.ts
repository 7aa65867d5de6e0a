/**
 * Writes a baseline for a project from its generated types, and checks that a user can sign in and read the baseline's
 * tables.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTypesFiles } from '../../src/project/folder/types-files.ts';

/**
 * Writes the baseline from the types file that contains the most tables. The command exits with status 1 if some of the
 * project's statements still fail.
 */
export async function writeBaseline(program: string, workdir: string, timeoutMs: number): Promise<void> {
  const tableCount = ({ model }: ReturnType<typeof findTypesFiles>[number]) =>
    model.schemas.reduce((sum, { tables }) => sum + tables.length, 0);
  const [types] = findTypesFiles(workdir).sort((a, b) => tableCount(b) - tableCount(a));
  if (types === undefined) return;
  const args = [program, 'db', 'baseline', '--from-types', types.path, '--workdir', workdir];
  await new Promise<void>((resolve) => {
    execFile(process.execPath, args, { timeout: timeoutMs, cwd: workdir }, () => resolve());
  });
}

const password = 'a-Good-password-1';
const user = { email: 'ada@example.com', password };

/**
 * Returns the requests whose response status isn't 200. The requests create a user, sign in, and read up to five
 * tables.
 */
export async function signInAndRead(status: Record<string, string>, workdir: string): Promise<string[]> {
  const { API_URL: url, ANON_KEY: anonKey = '', SERVICE_ROLE_KEY: serviceKey = '' } = status;
  const unexpected: string[] = [];
  const send = async (path: string, key: string, token: string, body?: object) => {
    const headers = { apikey: key, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}${path}`, init);
    if (!response.ok) unexpected.push(`${path}: ${response.status}`);
    return (await response.json()) as { readonly access_token?: string };
  };
  const metadata = { full_name: 'Ada', name: 'Ada', username: 'ada' };
  await send('/auth/v1/admin/users', serviceKey, serviceKey, {
    ...user,
    email_confirm: true,
    user_metadata: metadata,
  });
  const { access_token: token = '' } = await send(
    '/auth/v1/token?grant_type=password',
    anonKey,
    anonKey,
    user,
  );
  for (const table of baselineTables(workdir).slice(0, 5))
    await send(`/rest/v1/${encodeURIComponent(table)}?select=*&limit=1`, anonKey, token);
  return unexpected;
}

function baselineTables(workdir: string): string[] {
  const folder = join(workdir, 'supabase/migrations');
  const file = readdirSync(folder).find((name) => /^0+_baseline\.sql$/.test(name));
  if (file === undefined) return [];
  const text = readFileSync(join(folder, file), 'utf8');
  return [...text.matchAll(/^create table public\.(?:"([^"]+)"|(\w+)) \(/gm)].map(
    ([, quoted, plain]) => quoted ?? plain ?? '',
  );
}
