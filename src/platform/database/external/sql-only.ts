/** Plinth's SQL-only extensions as plain files, for servers whose extension folder isn't writable. */
import { readFileSync } from 'node:fs';
import { hashOf, type MigrationFile } from '../migrate/files.ts';

const scripts = [
  ['0001', 'supabase_vault', 'supabase_vault--0.3.1.sql'],
  ['0002', 'pg_net', 'pg_net--0.19.5.sql'],
] as const;

/**
 * Returns the files of the SQL-only extensions that aren't listed in `installed`. An embedded server already has the
 * extensions that Plinth provides.
 */
export function sqlOnlyFiles(installed: readonly string[]): MigrationFile[] {
  const expected = scripts.filter(([, name]) => !installed.includes(name));
  return expected.map(([version, name, file]) => {
    const script = readFileSync(new URL(`../extensions/${file}`, import.meta.url), 'utf8');
    const text = asPlainSql(script);
    return { module: 'extensions', version, name, text, hash: hashOf(text) };
  });
}

/**
 * Converts a script to plain SQL by inserting the name of pgcrypto's schema. The migration runner turns event triggers
 * off, on PostgreSQL versions that support this setting.
 */
const asPlainSql = (script: string): string => script.replaceAll('@extschema:pgcrypto@', 'extensions');
