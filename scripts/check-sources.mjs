/** Runs the lint and type checks, two at a time. Prints only the output of checks that fail. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const npmTool = (/** @type {string[]} */ ...parts) => join('node_modules', ...parts);
const tsc = npmTool('typescript', 'bin', 'tsc');

/**
 * The arguments of a type check. One checker takes less than half the CPU time of TypeScript's default of four, because
 * each checker computes the shared types again. TypeScript stores its results, so the next check is shorter.
 */
const types = (/** @type {string} */ project, /** @type {string} */ stored) => [
  tsc,
  ...['--noEmit', '--checkers', '1', '-p', project],
  ...['--incremental', '--tsBuildInfoFile', npmTool('.cache', 'plinth-types', `${stored}.tsbuildinfo`)],
];

/** The checks. The slowest check is first. */
const checks = [
  { name: 'Types of the server', args: types('tsconfig.json', 'server') },
  { name: 'Lint', args: [npmTool('@biomejs', 'biome', 'bin', 'biome'), 'check', '.'] },
  { name: 'Types of the web app', args: types('web/tsconfig.json', 'web') },
  { name: 'Imports', args: [join('scripts', 'lint', 'imports.ts')] },
  { name: 'Words', args: [join('scripts', 'lint', 'words.ts')] },
  { name: 'Paths', args: [join('scripts', 'lint', 'paths.ts')] },
  { name: 'SQL files', args: [join('scripts', 'lint', 'migrations.ts')] },
  { name: 'Workflows', args: [join('scripts', 'lint', 'workflows.ts')] },
];
const concurrency = 2;

/** @returns {Promise<boolean>} Whether every check passed. */
export async function checkSources() {
  const waiting = [...checks];
  let hasPassed = true;
  const worker = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      if (!(await runCheck(check))) hasPassed = false;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return hasPassed;
}

/** @returns {Promise<boolean>} */
function runCheck(/** @type {{ name: string, args: string[] }} */ { name, args }) {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.on('error', (error) => {
      output += String(error);
    });
    child.on('close', (status) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      process.stderr.write(`${name}: ${status === 0 ? 'passed' : 'failed'} in ${seconds} s\n`);
      if (status !== 0) process.stderr.write(`${output}\n`);
      resolve(status === 0);
    });
  });
}
