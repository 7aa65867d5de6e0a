/**
 * The script for `npm test` and `npm run test:states`. Checks the source files, builds the web app and the server's
 * bundle if they are outdated, and runs the tests. If the script receives arguments, it passes them to vitest and skips
 * the checks.
 *
 *   npm test                               # runs all tests except the page states and those of the npm package
 *   npm test -- --all                      # runs the page states too, as .ci/run does
 *   npm test -- test/rest                  # runs the tests in a folder, including its page states
 *   npm run test:states                    # runs the page states
 *   npm run test:states -- test/account    # runs the page states in a folder
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkSources } from './check-sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const say = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);

const runScript = (/** @type {string} */ script, /** @type {string[]} */ args, env = process.env) =>
  spawnSync(process.execPath, [join(root, script), ...args], { cwd: root, stdio: 'inherit', env }).status ??
  1;

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

/** Returns the browser in Playwright's folder, which an earlier run may have installed. */
async function playwrightBrowser() {
  const { chromium } = await import('playwright-core');
  const path = chromium.executablePath();
  return existsSync(path) ? path : undefined;
}

/** Installs packages with apt-get. Returns whether they are installed. */
function aptInstall(/** @type {string[]} */ ...names) {
  const apt = onPath(['apt-get']);
  if (apt === undefined || process.getuid?.() !== 0) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const aptGet = (/** @type {string[]} */ ...args) =>
    spawnSync(apt, args, { stdio: ['ignore', 2, 2], env }).status === 0;
  const install = () => aptGet('install', '-y', '--no-install-recommends', ...names);
  return install() || (aptGet('update') && install());
}

async function findOrInstallBrowser() {
  const found = systemBrowser() ?? (await playwrightBrowser());
  if (found !== undefined) return found;
  say('Installing Chromium for the browser tests ...');
  aptInstall('chromium');
  const installed = systemBrowser();
  if (installed !== undefined) return installed;
  say('Installing a browser for the tests ...');
  const cli = join(root, 'node_modules', 'playwright-core', 'cli.js');
  spawnSync(process.execPath, [cli, 'install', 'chromium'], { stdio: ['ignore', 2, 2] });
  return await playwrightBrowser();
}

/**
 * Returns the headless shell, in which a page takes a third of the CPU time. Installs it where this doesn't surprise
 * anyone: beside a browser that this script has just installed, and in continuous integration.
 */
function findOrInstallHeadlessShell(/** @type {boolean} */ maybeInstalls) {
  const find = () => onPath(['chromium-headless-shell']);
  // Some releases of Debian don't have the package.
  if (find() === undefined && maybeInstalls) aptInstall('chromium-headless-shell');
  return find();
}

/** Returns the files that declare page states (test/web/states.ts), because loading the other files takes long. */
const filesWithStates = () =>
  globSync('test/**/*.test.ts', { cwd: root }).filter((file) =>
    /\/(states|in-four-looks)\.ts'/.test(readFileSync(join(root, file), 'utf8')),
  );

const isStates = process.argv[2] === '--states';
const isAll = process.argv[2] === '--all';
const args = process.argv.slice(isStates || isAll ? 3 : 2);
const isWholeRun = args.length === 0 && !isStates;
const paths = args.filter((arg) => !arg.startsWith('-'));
/** Tests in `src/` and `web/` don't require a browser or the built pages. */
const needsBuild = paths.length === 0 || paths.some((path) => !/^(\.\/)?(src|web)(\/|$)/.test(path));

const env = { ...process.env };
if (needsBuild) {
  const hadBrowser = systemBrowser() !== undefined;
  const browser = await findOrInstallBrowser();
  if (browser === undefined) {
    say('The tests need a browser: install chromium or Chrome, or set CHROME_PATH to one.');
    process.exit(1);
  }
  const maybeInstalls = !hadBrowser || env.CI !== undefined;
  const headlessShell = env.CHROME_PATH ? undefined : findOrInstallHeadlessShell(maybeInstalls);
  if (headlessShell !== undefined) env.HEADLESS_SHELL_PATH = headlessShell;
  env.CHROME_PATH = browser;
  const status = runScript(join('scripts', 'prepare.mjs'), []);
  if (status !== 0) process.exit(status);
}
if (isWholeRun && !(await checkSources())) process.exit(1);
const selection = [];
if (isWholeRun && isAll) selection.push('--tags-filter=!package');
if (isWholeRun && !isAll) {
  selection.push('--tags-filter=!states && !package');
  env.PAGE_STATES = 'skip';
}
if (isStates) selection.push('--tags-filter=states || with-states');
if (isStates && paths.length === 0) selection.push(...filesWithStates());
// The script prints nothing after the tests, so the last line of the output is vitest's.
process.exitCode = runScript(
  join('node_modules', 'vitest', 'vitest.mjs'),
  ['run', ...selection, ...args],
  env,
);
