/**
 * Runs the tests of the auth service and prints the tested responses of each route, and the error codes that no test
 * covers. Anything that is missing also fails `npm test`.
 *
 *   node scripts/auth-routes.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorTable } from '../src/auth/index.ts';
import { readAnswers } from '../test/auth/coverage/answers.ts';
import { excusedCodes } from '../test/auth/coverage/excused.ts';
import { judgeCodes, judgeRoutes, routeTable } from '../test/auth/coverage/judge.ts';
import { contractRoutes } from '../test/auth/coverage/routes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'plinth-auth-answers-'));
try {
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const env = { ...process.env, AUTH_ANSWERS: folder };
  spawnSync(process.execPath, [vitest, 'run', 'test/auth'], { cwd: root, stdio: ['ignore', 2, 2], env });
  const answers = readAnswers(folder);
  const coverage = judgeRoutes(contractRoutes, answers);
  const excused = excusedCodes(readFileSync(join(root, 'docs', 'compatibility.md'), 'utf8'));
  const codes = judgeCodes(Object.keys(errorTable), answers, excused);
  console.log(routeTable(coverage));
  const covered = coverage.filter(({ gaps }) => gaps.length === 0).length;
  console.log(`\nRoutes: ${covered} of ${coverage.length} covered.`);
  console.log(`Error codes never seen: ${codes.missing.join(', ') || 'none'}.`);
  console.log(`Excused, yet seen: ${codes.wronglyExcused.join(', ') || 'none'}.`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
