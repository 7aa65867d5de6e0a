/** Our SQL-only extensions as plain files, for servers whose extension folder is not ours. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { MigrationFile } from '../migrate/files.ts';

const scripts = [
  ['0001', 'supabase_vault', 'supabase_vault--0.3.1.sql'],
  ['0002', 'pg_net', 'pg_net--0.19.5.sql'],
] as const;

/** Without those that the server has as `installed` extensions: its own, or ours where it is an embedded one. */
export function sqlOnlyFiles(installed: readonly string[]): MigrationFile[] {
  const wanted = scripts.filter(([, name]) => !installed.includes(name));
  return wanted.map(([version, name, file]) => {
    const script = readFileSync(new URL(`../extensions/${file}`, import.meta.url), 'utf8');
    const text = asPlainSql(script);
    return { room: 'extensions', version, name, text, hash: createHash('sha256').update(text).digest('hex') };
  });
}

/** The runner sets event_triggers itself where the version knows it; pgcrypto lies in `extensions`. */
function asPlainSql(script: string): string {
  return script
    .replace(/^set local event_triggers = off;$/m, '')
    .replaceAll('@extschema:pgcrypto@', 'extensions');
}
