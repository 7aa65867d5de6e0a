/** Starts a NATS server for tests, if one is installed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { until } from './harness.ts';

/** The path of the server, or undefined if it isn't installed. */
export const natsServer = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  .map((folder) => join(folder, 'nats-server'))
  .find((file) => existsSync(file));

export interface TestNats {
  readonly url: string;
  /** Kills the server. Its data is kept. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startNats({ jetStream }: { readonly jetStream: boolean }): Promise<TestNats> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'plinth-nats-'));
  const args = ['-a', '127.0.0.1', '-p', String(port), ...(jetStream ? ['-js', '-sd', folder] : [])];
  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined) return;
    child.kill(signal);
    await once(child, 'exit');
    child = undefined;
  };
  const start = async (): Promise<void> => {
    child = spawn(natsServer as string, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let output = '';
    child.stderr?.on('data', (text) => {
      output += text;
    });
    await until(() => output.includes('Server is ready'));
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    kill: () => end('SIGKILL'),
    start,
    async stop() {
      await end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
