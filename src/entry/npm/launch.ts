/**
 * Starts the commands of the npm package. Runs the server in this process, or in a newer version of Node from the cache if
 * this process's version is too old. This file must stay small, because it is compiled before the compile cache is enabled.
 */
import module from 'node:module';
import { join } from 'node:path';
import { canRunServer, PackageError, packageManifest, userCache } from '../../platform/packages/index.ts';

const entry = new URL('../../../dist/server/main.mjs', import.meta.url);

/** The names by which the program can be called. */
export type CommandName = 'plinth' | 'supabase';

async function runHere(name: CommandName): Promise<number> {
  // The compile cache cuts the startup time in half.
  module.enableCompileCache(join(userCache(), 'compiled', packageManifest()?.build ?? 'clone'));
  const { main } = (await import(entry.href)) as {
    main: (line: readonly string[], name: CommandName) => Promise<number>;
  };
  return await main(process.argv.slice(2), name);
}

/** Runs the command line of this process and sets the exit status. */
export async function launch(name: CommandName): Promise<void> {
  try {
    process.exitCode = canRunServer(process.versions.node)
      ? await runHere(name)
      : await (await import('./newer-node.ts')).runInNewerNode();
  } catch (error) {
    if (!(error instanceof PackageError)) throw error;
    process.stderr.write(`${[error.message, ...error.advice].join('\n')}\n`);
    process.exitCode = 1;
  }
}
