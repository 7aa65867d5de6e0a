/**
 * Runs `plinth start` from the source files, and restarts it when one of them changes. While the server runs, another
 * process has loaded the same files and waits, so that a restart loads only what has changed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { watchTree } from './watch.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
/** Editors write a file in several steps, and a checkout changes many files. */
const settleMs = 40;
/** The maximum number of changed files whose names are printed. */
const maxNames = 3;

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
  /** The process that has loaded the files of the running server and waits for a change. @type {Child | undefined} */
  let spare;
  /** @type {Addresses | undefined} */
  let addresses;
  let isStopping = false;
  /** @type {PromiseWithResolvers<Addresses>} */
  const ready = Promise.withResolvers();
  /** @type {NodeJS.Timeout | undefined} */
  let settling;
  /** The files that have changed since the last restart was begun. @type {Set<string>} */
  const files = new Set();
  /** The time of the first of these changes. */
  let since = 0;
  /** The time of the first change of the last restart. */
  let startedAt = 0;
  /** The status of the process that couldn't load the changed files. @type {number | null} */
  let failure = null;

  const watcher = watchTree(path.join(root, 'src'), (file) => {
    if (!isSource(file)) return;
    if (files.size === 0) since = performance.now();
    files.add(file);
    clearTimeout(settling);
    settling = setTimeout(changed, settleMs);
  });

  /** Creates a process that loads the sources. */
  function create() {
    const own = spawn(process.execPath, [path.join(root, 'scripts', 'dev', 'process.mjs'), ...args], {
      stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
    });
    // The process may end before it has read the end of its input.
    own.stdin?.on('error', () => undefined);
    own.on('error', () => undefined);
    createInterface({ input: /** @type {import('node:stream').Readable} */ (own.stdout) }).on(
      'line',
      printed,
    );
    own.once('exit', (status) => ended(own, status));
    return own;
  }

  /** Starts the server with the changed files as soon as no other process runs it. */
  function restart(/** @type {string[]} */ changedFiles) {
    next ??= spare;
    spare = undefined;
    failure = null;
    if (next === undefined) next = create();
    else send(next, { changed: changedFiles });
    if (current === undefined) run();
    else current.stdin?.end();
  }

  /** Starts the server in the process that has loaded the sources. */
  function run() {
    current = next;
    next = undefined;
    if (current !== undefined) send(current, { run: true });
  }

  function ended(/** @type {Child} */ own, /** @type {number | null} */ status) {
    if (own === spare) spare = undefined;
    else if (own === next) {
      next = undefined;
      failure = status;
    } else if (own === current) current = undefined;
    else return;
    if (isStopping) return;
    if (current === undefined && next !== undefined) run();
    else if (current === undefined)
      say(`The server has ended (status ${failure ?? status}). It starts again when a file in src changes.`);
  }

  /** Reads the line that a server prints when it is ready. */
  function printed(/** @type {string} */ line) {
    const status = parse(line);
    if (status === undefined) return;
    const isFirst = addresses === undefined;
    addresses = { api: String(status.API_URL), console: String(status.STUDIO_URL) };
    if (!isFirst) say(`The server has restarted in ${Math.round(performance.now() - startedAt)} ms.`);
    if (!isStopping && next === undefined) spare ??= create();
    ready.resolve(addresses);
  }

  function changed() {
    if (isStopping) return;
    const names = [...files];
    files.clear();
    startedAt = since;
    for (const name of names.slice(0, maxNames)) say(`Changed: src/${name.replaceAll(path.sep, '/')}`);
    if (names.length > maxNames) say(`Changed: ${names.length - maxNames} more files`);
    restart(names);
  }

  return {
    /** Returns the addresses of the server. Undefined until it has been ready once. */
    addresses: () => addresses,
    /** Starts the server. Resolves when it is ready for the first time, also if that needs a correction of the sources. */
    start() {
      restart([]);
      return ready.promise;
    },
    async stop() {
      isStopping = true;
      clearTimeout(settling);
      watcher.close();
      next?.kill('SIGKILL');
      spare?.kill('SIGKILL');
      if (current === undefined) return;
      const exited = once(current, 'exit');
      current.stdin?.end();
      await exited;
    },
  };
}

/** Sends a message to a process, which may have ended. */
function send(/** @type {Child} */ child, /** @type {object} */ message) {
  child.send(message, () => undefined);
}

/** @returns {Record<string, string> | undefined} */
function parse(/** @type {string} */ line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
