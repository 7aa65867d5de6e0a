#!/usr/bin/env node
/**
 * The command `plinth` of the npm package. Runs the server in this process, or in a newer Node from the cache if this
 * one is too old.
 */
import { spawn } from 'node:child_process';
import module from 'node:module';
import { constants } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { canRunServer, PackageError, packageManifest, serverNode, userCache } from '../packages/index.ts';

const entry = new URL('../../dist/server/main.mjs', import.meta.url);
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

async function runHere(): Promise<number> {
  // The compile cache halves the startup time.
  module.enableCompileCache(join(userCache(), 'compiled', packageManifest()?.build ?? 'clone'));
  const { main } = (await import(entry.href)) as { main: (line: readonly string[]) => Promise<number> };
  return await main(process.argv.slice(2));
}

async function runInNewerNode(): Promise<number> {
  const { values } = parseArgs({ options: { from: { type: 'string' } }, strict: false });
  const node = await serverNode({
    onProgress: (message) => process.stderr.write(`${message}\n`),
    // Passed on so that "plinth fetch --from DIR" also works without a network on a machine whose Node is too old.
    from: typeof values.from === 'string' && process.argv[2] === 'fetch' ? values.from : undefined,
  });
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // A terminal also sends Ctrl-C to the child, but the server counts signals in quick succession as one.
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}

try {
  process.exitCode = canRunServer(process.versions.node) ? await runHere() : await runInNewerNode();
} catch (error) {
  if (!(error instanceof PackageError)) throw error;
  process.stderr.write(`${[error.message, ...error.advice].join('\n')}\n`);
  process.exitCode = 1;
}
