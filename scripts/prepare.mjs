/**
 * Runs before `npm start`, `npm test` and `npm run plinth`. Installs the dependencies in the lock file, and builds the
 * web app and the server. Skips each step if nothing that affects it has changed. The script is plain JavaScript
 * without dependencies. In a new clone, this script can run before any other, with the machine's Node version (20.20 or
 * later).
 *
 *   node scripts/prepare.mjs [--install-only]
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const installStamp = join(root, 'node_modules', '.plinth-lock');
const builds = {
  web: { sources: 'web', script: 'build-web.mjs', stamp: join('dist', 'web', '.stamp') },
  server: { sources: 'src', script: 'build-server.mjs', stamp: join('dist', 'server', '.stamp') },
};
const readyScript = join(root, 'node_modules', '.plinth-ready');
const neededNode = 26;

const say = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);

/** Prints the error message and exits with an error. @returns {never} */
function fail(/** @type {string} */ text) {
  say(text);
  process.exit(1);
}

/**
 * Runs a program. The program's output is sent to stderr, because stdout is reserved for the command that follows. A
 * dot is printed every two seconds to show progress.
 */
function run(/** @type {string} */ program, /** @type {string[]} */ args, shell = false) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 2, 2], shell });
    const dots = setInterval(() => process.stderr.write('.'), 2000);
    const end = (/** @type {number} */ status) => {
      clearInterval(dots);
      resolve(status);
    };
    child.on('error', () => end(1));
    child.on('exit', (status) => end(status ?? 1));
  });
}

async function install() {
  const lockFile = readFileSync(join(root, 'package-lock.json'), 'utf8');
  const lock = createHash('sha256').update(lockFile).digest('hex');
  if (readIfThere(installStamp) === lock || hasNpmInstalled(lockFile)) return;
  say('Installing dependencies. This takes a moment and is needed only once.');
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  // npm sets this variable to the path of npm's own program. If the variable isn't set, a shell finds npm, which is
  // named npm.cmd on Windows.
  const npm = process.env.npm_execpath;
  const status = npm?.endsWith('.js')
    ? await run(process.execPath, [npm, ...args])
    : await run('npm', args, process.platform === 'win32');
  if (status !== 0) fail("The dependencies could not be installed. See npm's output above.");
  mkdirSync(dirname(installStamp), { recursive: true });
  writeFileSync(installStamp, lock);
  say('Installed.');
}

/**
 * Whether npm has already installed the packages in the lock file, for example with `npm ci`. npm lists the installed
 * packages in `node_modules/.package-lock.json`.
 */
function hasNpmInstalled(/** @type {string} */ lockFile) {
  const npmList = readIfThere(join(root, 'node_modules', '.package-lock.json'));
  const needed = npmList === undefined ? undefined : packagesOf(lockFile);
  if (npmList === undefined || needed === undefined) return false;
  const installed = packagesOf(npmList) ?? {};
  const paths = new Set([...Object.keys(needed), ...Object.keys(installed)]);
  // The package with the empty path is the project itself, which npm doesn't install.
  paths.delete('');
  return [...paths].every((path) => {
    const entry = needed[path];
    if (entry === undefined) return false;
    if (installed[path] === undefined) return isForOtherPlatforms(entry);
    return JSON.stringify(installed[path]) === JSON.stringify(entry);
  });
}

/** @returns {Record<string, LockedPackage> | undefined} undefined if the file isn't a lock file */
function packagesOf(/** @type {string} */ lockFile) {
  try {
    return JSON.parse(lockFile).packages;
  } catch {
    return undefined;
  }
}

/**
 * Whether npm may have skipped a package because the package supports only other platforms. A package without a
 * platform can be a dependency of such a package. npm itself determines the C library (`libc`).
 *
 * @typedef {{ optional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} LockedPackage
 */
function isForOtherPlatforms(/** @type {LockedPackage} */ { optional, os, cpu, libc }) {
  if (optional !== true) return false;
  const isForThisPlatform = os?.includes(process.platform) && cpu?.includes(process.arch);
  return !isForThisPlatform || libc !== undefined;
}

function readIfThere(/** @type {string} */ file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Returns the path to the Node program that npm installs according to the lock file. If that program isn't installed,
 * returns the path to the Node program that runs this script.
 */
function projectNode() {
  const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  for (const folder of [`node-${platform}`, `node-bin-${platform}`]) {
    const path = join(root, 'node_modules', folder, 'bin', name);
    if (existsSync(path)) return path;
  }
  if (Number.parseInt(process.versions.node, 10) >= neededNode) return process.execPath;
  return fail(
    `npm has no Node package for ${platform}, and this is Node ${process.version}. Install Node ${neededNode} or newer from https://nodejs.org.`,
  );
}

/**
 * Whether the build is newer than all of its inputs. Removed files are detected through the modification time of their
 * folder.
 */
function looksFresh(/** @type {typeof builds.web} */ { sources, script, stamp }) {
  const built = statSync(join(root, stamp), { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined) return false;
  const newer = (/** @type {string} */ path) => statSync(path).mtimeMs > built;
  if (newer(join(root, 'package-lock.json')) || newer(join(root, 'scripts', script))) return false;
  const folder = join(root, sources);
  if (newer(folder)) return false;
  return !readdirSync(folder, { recursive: true }).some((name) => newer(join(folder, String(name))));
}

/**
 * After a checkout, files can be newer than the build even if their content hasn't changed. This script therefore
 * compares hashes. Only the project's Node version can run the code that computes the hashes.
 */
const buildStale = `
  const web = await import('./scripts/build-web.mjs');
  const server = await import('./scripts/build-server.mjs');
  if (web.webStamp() !== web.builtStamp()) await web.buildWeb();
  if (server.serverStamp() !== server.builtServerStamp()) await server.buildServer();
`;

async function build(/** @type {string} */ node) {
  const all = Object.values(builds);
  if (all.every(looksFresh)) return;
  const status = await run(node, ['--input-type=module', '--eval', buildStale]);
  if (status !== 0) fail('The web app and the server could not be built. See the output above.');
  const now = new Date();
  for (const { stamp } of all) utimesSync(join(root, stamp), now, now);
}

/**
 * Writes a shell script that checks whether anything must be installed or built. The shell script takes only
 * milliseconds, because it doesn't start Node. package.json runs this script first.
 */
function writeReadyScript(/** @type {Date} */ asOf) {
  const watched =
    'package-lock.json scripts/build-web.mjs scripts/build-server.mjs scripts/prepare.mjs web src';
  writeFileSync(
    readyScript,
    `# Made by scripts/prepare.mjs. Succeeds while nothing it looks at is newer than this file.
[ -f dist/web/.stamp ] && [ -f dist/server/.stamp ] && [ -z "$(find ${watched} -newer node_modules/.plinth-ready -print -quit 2>&1)" ]
`,
  );
  utimesSync(readyScript, asOf, asOf);
}

const began = new Date();
await install();
const node = projectNode();
if (!process.argv.includes('--install-only')) {
  await build(node);
  writeReadyScript(began);
}
