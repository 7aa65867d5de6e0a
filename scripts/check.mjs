/**
 * The script for `npm run check`. Runs the lint and type checks, and the unit and property tests in `src/` and `web/`.
 * These tests don't require a server, database or browser.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSources } from './check-sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

function runUnitTests() {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs');
  // In a file or a pipe, a dot per test and escape sequences would hide the failures.
  const isTerminal = process.stdout.isTTY;
  const args = [vitest, 'run', '--project', 'unit', '--reporter', isTerminal ? 'dot' : 'minimal'];
  const env = isTerminal ? process.env : { ...process.env, NO_COLOR: '1' };
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env });
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', (status) => resolve(status === 0));
  });
}

const isSound = await checkSources();
const haveTestsPassed = await runUnitTests();
process.exitCode = isSound && haveTestsPassed ? 0 : 1;
