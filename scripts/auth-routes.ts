/**
 * Runs the tests of the auth service. Prints the responses that the tests cover for each route, and the error codes
 * that no test covers. If a response or an error code isn't covered, `npm test` fails as well.
 *
 *   node scripts/auth-routes.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorTable } from '../src/services/auth/index.ts';
import { checkCodes, checkRoutes, routeTable } from '../test/auth/coverage/check.ts';
import { exemptCodes } from '../test/auth/coverage/exempt.ts';
import { readRun } from '../test/auth/coverage/recorded-responses.ts';
import { contractRoutes } from '../test/auth/coverage/routes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'plinth-auth-answers-'));
try {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const env = { ...process.env, AUTH_ANSWERS: folder };
  spawnSync(process.execPath, [vitest, 'run', 'test/auth'], { cwd: root, stdio: ['ignore', 2, 2], env });
  const { responses } = readRun(folder);
  const coverage = checkRoutes(contractRoutes, responses);
  const exempt = exemptCodes(readFileSync(join(root, 'docs', 'compatibility.md'), 'utf8'));
  const codes = checkCodes(Object.keys(errorTable), responses, exempt);
  console.log(routeTable(coverage));
  const covered = coverage.filter(({ gaps }) => gaps.length === 0).length;
  console.log(`\nRoutes: ${covered} of ${coverage.length} covered.`);
  console.log(`Error codes that no test returned: ${codes.missing.join(', ') || 'none'}.`);
  console.log(`Listed as never returned, but returned: ${codes.wronglyExempt.join(', ') || 'none'}.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
