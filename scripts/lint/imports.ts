/**
 * Prints imports that break a rule. Exits with 1 if an import breaks a rule. Run it with `node
 * scripts/lint/imports.ts`.
 */
import { fileURLToPath } from 'node:url';
import { checkImports, readSources } from './imports/check.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = readSources(root);
const violations = checkImports(sources);
for (const { file, line, message } of violations) console.error(`${file}:${line}: ${message}`);
console.log(`Checked the imports of ${sources.size} files: ${violations.length} violations.`);
process.exitCode = violations.length === 0 ? 0 : 1;
