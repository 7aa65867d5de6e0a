/** Runs the command in a newer version of Node from the cache if the version that runs this process is too old. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { serverNode } from '../../platform/packages/index.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs the command in the newer version of Node and returns the command's exit status. */
export async function runInNewerNode(): Promise<number> {
  const { values } = parseArgs({ options: { from: { type: 'string' } }, strict: false });
  const node = await serverNode({
    onProgress: (message) => process.stderr.write(`${message}\n`),
    // `--from` is passed on so that "plinth fetch --from DIR" works without a network even if the machine's Node is too
    // old.
    from: typeof values.from === 'string' && process.argv[2] === 'fetch' ? values.from : undefined,
  });
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // If a user presses Ctrl-C, the terminal also sends a signal to the child process, but the server treats signals in
  // quick succession as one signal.
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
    );
  });
}
