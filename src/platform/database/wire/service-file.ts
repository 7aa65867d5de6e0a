/** Reads a connection service file, `pg_service.conf` (PostgreSQL documentation, 32.17). */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkKeywords } from './connection-keywords.ts';
import { ConnectionStringError } from './errors.ts';

/**
 * Returns the keywords of a service. The user's service file takes precedence over the system's service file.
 *
 * @throws {ConnectionStringError} if no file defines the service
 */
export function readService(
  name: string,
  { userFile, systemFolder }: { readonly userFile: string; readonly systemFolder: string | undefined },
): Map<string, string> {
  const files = [userFile, ...(systemFolder === undefined ? [] : [join(systemFolder, 'pg_service.conf')])];
  for (const file of files) {
    const found = existsSync(file) ? findService(readFileSync(file, 'utf8'), name, file) : undefined;
    if (found !== undefined) return found;
  }
  throw new ConnectionStringError(`The service "${name}" isn't defined in ${files.join(' or ')}`);
}

/** Returns the keywords of the section `[name]`, or undefined if the text doesn't contain the section. */
export function findService(text: string, name: string, file: string): Map<string, string> | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const start = lines.indexOf(`[${name}]`);
  if (start < 0) return undefined;
  const values = new Map<string, string>();
  for (const [index, line] of lines.entries()) {
    if (index <= start || line === '' || line.startsWith('#')) continue;
    if (line.startsWith('[')) break;
    const equals = line.indexOf('=');
    const keyword = line.slice(0, Math.max(0, equals));
    if (keyword === '' || keyword === 'service' || keyword === 'servicefile' || line.startsWith('ldap')) {
      throw new ConnectionStringError(`Line ${index + 1} of ${file} isn't supported in a service: ${line}`);
    }
    // If a keyword occurs more than once, its first occurrence applies.
    if (!values.has(keyword)) values.set(keyword, line.slice(equals + 1));
  }
  checkKeywords(values);
  return values;
}
