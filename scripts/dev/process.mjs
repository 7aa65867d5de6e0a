/**
 * The server's process for `npm run dev`. Loads the server's modules while the previous process stops, and runs `plinth
 * start` with the given options when the parent process sends a message.
 */
import module from 'node:module';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
module.enableCompileCache(path.join(root, 'node_modules', '.cache', 'plinth'));

// The modules are loaded here only to have them in memory. The command loads them in the same way.
const [{ main }, { loadModules }] = await Promise.all([
  import('../../src/entry/cli/main.ts'),
  import('../../src/server/backend/modules.ts'),
  import('../../src/entry/cli/run-server.ts'),
]);
await loadModules({ hasBackups: false });

process.once('disconnect', exit);
process.once('message', async () => {
  process.off('disconnect', exit);
  process.disconnect();
  process.exitCode = await main(['start', '--follow', '--json', ...process.argv.slice(2)], 'plinth');
});

function exit() {
  process.exit();
}
