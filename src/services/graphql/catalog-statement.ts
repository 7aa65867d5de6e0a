/** Loads the statement that collects the catalog of a role. */
import { readFileSync } from 'node:fs';

let text: string | undefined;

/** Returns the statement. Its parameters are the role and the schemas of the search path. It returns one JSON value. */
export function catalogStatement(): string {
  text ??= readFileSync(new URL('./catalog.sql', import.meta.url), 'utf8');
  return text;
}
