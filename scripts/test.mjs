/**
 * What `npm test` runs: lint, types, the web app and the server's bundle if stale, then the tests. Arguments go to vitest
 * and mean "only these, quickly": lint and types are then left out.
 *
 *   npm test                      everything
 *   npm test -- test/rest         the tests below a folder
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const say = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);

const runScript = (/** @type {string} */ script, /** @type {string[]} */ args, env = process.env) =>
  spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'inherit', env }).status ??
  1;

/** One step before the tests; the run ends where it fails. */
function step(/** @type {string} */ what, /** @type {string} */ script, /** @type {string[]} */ args) {
  const started = performance.now();
  say(`${what} ...`);
  const status = runScript(script, args);
  if (status !== 0) process.exit(status);
  say(`${what}: ${((performance.now() - started) / 1000).toFixed(1)} s\n`);
}

function onPath(/** @type {string[]} */ names) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  for (const name of names) {
    const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
    if (found !== undefined) return found;
  }
  return undefined;
}

const usualPlaces = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

function systemBrowser() {
  const { CHROME_PATH } = process.env;
  if (CHROME_PATH) return CHROME_PATH;
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome.exe'];
  return onPath(names) ?? usualPlaces.find((path) => existsSync(path));
}

/** One that an earlier run, or the command below, has put into playwright's own folder. */
async function playwrightBrowser() {
  const { chromium } = await import('playwright-core');
  const path = chromium.executablePath();
  return existsSync(path) ? path : undefined;
}

async function findOrInstallBrowser() {
  const found = systemBrowser() ?? (await playwrightBrowser());
  if (found !== undefined) return found;
  const apt = onPath(['apt-get']);
  if (apt !== undefined && process.getuid?.() === 0) {
    say('Installing chromium for the browser tests ...');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const aptGet = (/** @type {string[]} */ ...args) =>
      spawnSync(apt, args, { stdio: ['ignore', 2, 2], env }).status;
    const install = () => aptGet('install', '-y', '--no-install-recommends', 'chromium');
    if (install() !== 0 && aptGet('update') === 0) install();
    const installed = systemBrowser();
    if (installed !== undefined) return installed;
  }
  say('Installing a browser for the tests ...');
  const cli = join(root, 'node_modules', 'playwright-core', 'cli.js');
  spawnSync(process.execPath, [cli, 'install', 'chromium'], { stdio: ['ignore', 2, 2] });
  return await playwrightBrowser();
}

const args = process.argv.slice(2);
const browser = await findOrInstallBrowser();
if (browser === undefined) {
  say('The tests need a browser: install chromium or Chrome, or name one in CHROME_PATH.');
  process.exit(1);
}
const npmTool = (/** @type {string} */ ...parts) => join('node_modules', ...parts);
if (args.length === 0) {
  step('Lint', npmTool('@biomejs', 'biome', 'bin', 'biome'), ['check', '.']);
  step('Imports', join('scripts', 'lint', 'imports.ts'), []);
  step('Words', join('scripts', 'lint', 'words.ts'), []);
  step('Types of the server', npmTool('typescript', 'bin', 'tsc'), ['--noEmit', '-p', 'tsconfig.json']);
  step('Types of the web app', npmTool('typescript', 'bin', 'tsc'), ['--noEmit', '-p', 'web/tsconfig.json']);
}
step('Web app and bundle', join('scripts', 'prepare.mjs'), []);
// Nothing is printed after this: the last line is vitest's.
process.exitCode = runScript(npmTool('vitest', 'vitest.mjs'), ['run', ...args], {
  ...process.env,
  CHROME_PATH: browser,
});
