/** Runs `plinth start` from the source files, and restarts it when one of them changes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { watchTree } from './watch.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
/** Editors write a file in several steps, and a checkout changes many files. */
const settleMs = 40;

/**
 * @typedef {{ api: string, console: string }} Addresses
 * @typedef {import('node:child_process').ChildProcess} Child
 */

/** Whether a change of this file below `src/` changes the server. */
const isSource = (/** @type {string} */ file) =>
  /\.(ts|js|sql|control)$/.test(file) && !/\.test\.ts$/.test(file);

/**
 * @param {readonly string[]} args The options of `plinth start`
 * @param {(line: string) => void} say
 */
export function superviseServer(args, say) {
  /** The process that runs the server. @type {Child | undefined} */
  let current;
  /** The process that has loaded the changed files and waits until `current` has ended. @type {Child | undefined} */
  let next;
  /** @type {Addresses | undefined} */
  let addresses;
  let isStopping = false;
  /** @type {PromiseWithResolvers<Addresses>} */
  const ready = Promise.withResolvers();
  /** @type {NodeJS.Timeout | undefined} */
  let settling;

  const watcher = watchTree(path.join(root, 'src'), (file) => {
    if (!isSource(file)) return;
    clearTimeout(settling);
    settling = setTimeout(() => changed(file), settleMs);
  });

  /** Loads the sources in a new process, which starts the server as soon as no other process runs it. */
  function load() {
    // A process that hasn't started the server has nothing to stop.
    next?.kill('SIGKILL');
    const since = performance.now();
    const own = spawn(process.execPath, [path.join(root, 'scripts', 'dev', 'process.mjs'), ...args], {
      stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
    });
    next = own;
    // The process may end before it has read the end of its input.
    own.stdin?.on('error', () => undefined);
    own.on('error', () => undefined);
    createInterface({ input: /** @type {import('node:stream').Readable} */ (own.stdout) }).on(
      'line',
      (line) => printed(line, since),
    );
    own.once('exit', (status) => ended(own, status));
    if (current === undefined) run();
    else current.stdin?.end();
  }

  /** Starts the server in the process that has loaded the sources. */
  function run() {
    current = next;
    next = undefined;
    current?.send('run', () => undefined);
  }

  function ended(/** @type {Child} */ own, /** @type {number | null} */ status) {
    if (own === next) next = undefined;
    else if (own === current) current = undefined;
    else return;
    if (isStopping) return;
    if (current === undefined && next !== undefined) run();
    else if (current === undefined)
      say(`The server has ended (status ${status}). It starts again when a file in src changes.`);
  }

  /** Reads the line that a server prints when it is ready. `since` is the time at which its process was created. */
  function printed(/** @type {string} */ line, /** @type {number} */ since) {
    const status = parse(line);
    if (status === undefined) return;
    const isFirst = addresses === undefined;
    addresses = { api: String(status.API_URL), console: String(status.STUDIO_URL) };
    if (!isFirst) say(`The server has restarted in ${Math.round(performance.now() - since)} ms.`);
    ready.resolve(addresses);
  }

  function changed(/** @type {string} */ file) {
    if (isStopping) return;
    say(`Changed: src/${file.replaceAll(path.sep, '/')}`);
    load();
  }

  return {
    /** Returns the addresses of the server. Undefined until it has been ready once. */
    addresses: () => addresses,
    /** Starts the server. Resolves when it is ready for the first time, also if that needs a correction of the sources. */
    start() {
      load();
      return ready.promise;
    },
    async stop() {
      isStopping = true;
      clearTimeout(settling);
      watcher.close();
      next?.kill('SIGKILL');
      if (current === undefined) return;
      const exited = once(current, 'exit');
      current.stdin?.end();
      await exited;
    },
  };
}

/** @returns {Record<string, string> | undefined} */
function parse(/** @type {string} */ line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
