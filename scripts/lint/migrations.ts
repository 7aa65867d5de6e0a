/**
 * Reports SQL files of a module that have the same number or an invalid name. Two branches can each add a file with the
 * next number, and merging them isn't a conflict. Exits with 1 if there is such a file.
 */
import { globSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkMigrations } from './migrations/check.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const paths = globSync('src/*/*/sql/*.sql', { cwd: root }).map((path) => path.replaceAll(sep, '/'));
const faults = checkMigrations(paths);
for (const { path, message } of faults) console.error(`${path}: ${message}`);
console.log(`Checked the numbers of ${paths.length} SQL files: ${faults.length} faults.`);
process.exitCode = faults.length === 0 ? 0 : 1;
