// Checks the Node version, enables the compile cache (which halves the startup time), and runs the program.
import module from 'node:module';
import { join } from 'node:path';

export async function launch(
  /** @type {string} */ entry,
  /** @type {'plinth' | 'supabase'} */ name = 'plinth',
) {
  if (Number.parseInt(process.versions.node, 10) < 26) {
    console.error(
      `Plinth needs Node 26 or newer, but this is ${process.version}. In a clone, "npm start" installs its own Node. Otherwise, see https://nodejs.org.`,
    );
    process.exit(1);
  }
  // The compile cache makes the start faster, but isn't required. The cache is stored next to the code, in a folder in
  // which other users can't write.
  module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/plinth'));
  const { main } = await import(entry);
  process.exitCode = await main(process.argv.slice(2), name);
}
