/**
 * The server's process for `npm run dev`. Loads the server's modules before they are needed, and loads those again that
 * have changed since. Runs `plinth start` with the given options when the parent process says so.
 */
import module from 'node:module';
import path from 'node:path';
import { reloadable } from './reloadable.mjs';

const root = path.resolve(import.meta.dirname, '../..');
module.enableCompileCache(path.join(root, 'node_modules', '.cache', 'plinth'));
// The server starts other processes with the same program.
process.argv[1] = path.join(root, 'bin', 'plinth.mjs');

const { invalidate } = reloadable(path.join(root, 'src'));
// A module that can't be loaded ends the process with the error.
let loading = load();
process.once('disconnect', exit).on('message', receive);

/** Loads what a start needs. The command loads the same modules, which are then in memory. */
async function load() {
  const [{ main }, { loadModules }] = await Promise.all([
    import('../../src/entry/cli/main.ts'),
    import('../../src/server/backend/modules.ts'),
    import('../../src/entry/cli/commands/start.ts'),
    import('../../src/entry/cli/run-server.ts'),
  ]);
  await loadModules({ hasBackups: false });
  return main;
}

/** @param {{ changed: string[] } | { run: true }} message The paths of changed files, or the request to start */
function receive(message) {
  if ('run' in message) void run();
  else
    loading = loading.then(() => {
      invalidate(message.changed);
      return load();
    });
}

async function run() {
  const main = await loading;
  process.off('disconnect', exit).off('message', receive);
  process.disconnect();
  process.exitCode = await main(['start', '--follow', '--json', ...process.argv.slice(2)], 'plinth');
}

function exit() {
  process.exit();
}
