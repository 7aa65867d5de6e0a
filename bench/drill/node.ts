/** Runs a node as in production: `plinth serve` in its own process, with its own project folder and data folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findRunning } from '../../src/entry/cli/control.ts';
import { type Operator, operator } from '../../test/console/harness.ts';
import { freePort } from '../../test/support/free-port.ts';
import type { NodePorts } from './haproxy.ts';

export const plinthBin = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));

export interface NodeOptions {
  readonly folder: string;
  readonly databaseUrl: string;
  readonly databaseDirectUrl?: string;
  readonly secret: string;
  /** Text that is added to plinth.toml. */
  readonly settings: string;
}

export interface Status {
  readonly PUBLISHABLE_KEY: string;
  readonly SECRET_KEY: string;
  readonly JWT_SECRET: string;
}

export interface Node {
  readonly url: string;
  readonly ports: NodePorts;
  readonly dataDir: string;
  pid(): number;
  isRunning(): boolean;
  /** Starts the process and waits until it is ready. @throws with the process's output if it ends */
  start(): Promise<void>;
  /** Sends SIGTERM and waits until the process has ended. */
  stop(): Promise<void>;
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
  status(): Promise<Status>;
  /** Makes a call to the running process, as commands do. */
  call<T>(name: string, parameters?: Readonly<Record<string, unknown>>): Promise<T>;
  operator(name?: string): Promise<Operator>;
  /** Sends a request to the Console's port, with the right Host header. */
  console(path: string, init?: RequestInit): Promise<Response>;
}

export async function createNode(options: NodeOptions): Promise<Node> {
  const { folder, databaseUrl, databaseDirectUrl, secret, settings } = options;
  const ports = { api: await freePort(), console: await freePort() };
  const dataDir = join(folder, 'data');
  mkdirSync(join(folder, 'supabase'), { recursive: true });
  const config = ['project_id = "drill"', `[api]\nport = ${ports.api}`, `[studio]\nport = ${ports.console}`];
  writeFileSync(join(folder, 'supabase', 'config.toml'), `${config.join('\n')}\n`);
  writeFileSync(join(folder, 'supabase', 'plinth.toml'), settings);
  const args = ['serve', '--workdir', folder, '--data-dir', dataDir, '--database-url', databaseUrl, '--json'];
  if (databaseDirectUrl !== undefined) args.push('--database-direct-url', databaseDirectUrl);
  let child: ChildProcess | undefined;
  const isRunning = (): boolean =>
    child !== undefined && child.exitCode === null && child.signalCode === null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child === undefined || !isRunning()) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  const call = async <T>(name: string, parameters: Readonly<Record<string, unknown>> = {}): Promise<T> => {
    const running = await findRunning(dataDir);
    if (running === undefined) throw new Error(`The node in ${folder} isn't running.`);
    return await running.call<T>(name, parameters);
  };
  const url = `http://127.0.0.1:${ports.api}`;
  const console = (path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${ports.console}${path}`, init);
  return {
    url,
    ports,
    dataDir,
    pid: () => child?.pid as number,
    isRunning,
    async start() {
      const started = spawn(process.execPath, ['--min-semi-space-size=8', plinthBin, ...args], {
        env: { ...environment(), PLINTH_SECRET: secret, XDG_STATE_HOME: join(folder, 'state') },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      let output = '';
      started.stderr.on('data', (text) => {
        output += text;
      });
      await new Promise<void>((resolve, reject) => {
        createInterface({ input: started.stdout }).once('line', () => resolve());
        started.once('close', (code) => reject(new Error(`plinth serve ended with ${code}: ${output}`)));
      });
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    call,
    status: () => call<Status>('status'),
    operator: (name) =>
      operator(
        { console: { fetch: console }, consoleLink: (who) => call('consoleLink', { operator: who }) },
        name,
      ),
    console,
  };
}

/** Returns the environment without variables that would override the project's settings. */
const environment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SUPABASE|PLINTH)_/.test(name)));
