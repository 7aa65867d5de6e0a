/**
 * Reads the version of the installed files. After an update, this version differs from the version of a process that is
 * still running.
 */
import { readFileSync } from 'node:fs';

export function installedVersion(): string {
  const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
