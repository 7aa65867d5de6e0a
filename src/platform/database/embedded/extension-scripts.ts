/** Rewrites the control files and scripts of extensions so that `postgres` can create the extensions safely. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ExtensionFile {
  readonly name: string;
  readonly text: string;
}

export const amendmentFolder = fileURLToPath(new URL('../extension-amendments/', import.meta.url));

export const amendmentOf = (name: string): string =>
  readFileSync(join(amendmentFolder, `${name}.sql`), 'utf8');

/** Returns the statements that follow the creation of an extension that the server provides, if there are any. */
export function extensionAmendment(name: string): string | undefined {
  const isAmended = readdirSync(amendmentFolder).includes(`${name}.sql`);
  return isAmended ? amendmentOf(name) : undefined;
}

export const isTrusted = (control: string): boolean => /^\s*trusted\s*=\s*(true|on|yes|1)/m.test(control);

/** Returns a control file that allows roles with CREATE on the database to create the extension. */
export function trustedControl(control: string): string {
  const lines = control.split('\n').filter((line) => !/^\s*(trusted|directory)\s*=/.test(line));
  return [...lines, 'trusted = true', ''].join('\n');
}

/** Returns the value of a setting in a control file. @example controlValue(text, 'default_version') // '1.2' */
export const controlValue = (control: string, name: string): string | undefined =>
  new RegExp(`^\\s*${name}\\s*=\\s*'?([^'#\\n]*?)'?\\s*(#.*)?$`, 'm').exec(control)?.[1];

/**
 * Turns event triggers off while a script runs. Without these statements, the project's event triggers would run as a
 * superuser, because extension scripts run as a superuser. `SET LOCAL` in a script lasts until the end of the
 * transaction and not only until the end of the script, so the last statement restores the previous value. Otherwise,
 * all later statements of the transaction would run without Plinth's event triggers. If a script fails, PostgreSQL
 * restores the value when it rolls back to the savepoint.
 */
const silence = `select pg_catalog.set_config('plinth.event_triggers', pg_catalog.current_setting('event_triggers'), true);
set local event_triggers = off;
`;
const restoration = `
select pg_catalog.set_config('event_triggers', pg_catalog.current_setting('plinth.event_triggers'), true);
`;

/**
 * Returns the script with event triggers turned off. Lines with psql commands are removed, as PostgreSQL does when it
 * runs an extension's script.
 */
export const silenced = (script: string): string =>
  `${silence}${script.replaceAll(/^\\echo.*$/gm, '')}${restoration}`;
