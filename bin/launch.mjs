// Checks Node, turns the compile cache on (it halves the start), and hands over.
import module from 'node:module';
import { join } from 'node:path';

export async function launch(
  /** @type {string} */ entry,
  /** @type {'plinth' | 'supabase'} */ name = 'plinth',
) {
  if (Number.parseInt(process.versions.node, 10) < 26) {
    console.error(
      `Plinth needs Node 26 or newer, this is ${process.version}; in a clone, "npm start" brings its own, otherwise see https://nodejs.org.`,
    );
    process.exit(1);
  }
  // The cache is stored beside the code, where other users can't write. It only makes the start faster.
  module.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/plinth'));
  const { main } = await import(entry);
  process.exitCode = await main(process.argv.slice(2), name);
}
