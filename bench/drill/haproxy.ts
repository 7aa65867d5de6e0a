/** Runs HAProxy with the project's own settings (deploy/cluster/haproxy.cfg), with other ports and without TLS. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../test/support/free-port.ts';
import { programPath } from './programs.ts';

export interface NodePorts {
  readonly api: number;
  readonly console: number;
}

export interface Balancer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const template = fileURLToPath(new URL('../../deploy/cluster/haproxy.cfg', import.meta.url));

/** Returns the project's settings with the ports of the drill. Throws an error if they have changed in another way. */
function settingsFor(nodes: readonly NodePorts[], frontends: NodePorts): string {
  const bind = (port: number) => `bind 127.0.0.1:${port}`;
  const text = readFileSync(template, 'utf8')
    // HAProxy doesn't start if the limit of open files doesn't permit this number of connections.
    .replace('maxconn 50000', 'maxconn 4000')
    .replace(/bind :443 .*/, bind(frontends.api))
    .replace(/bind :8443 .*/, bind(frontends.console))
    .replaceAll(/set-header X-Forwarded-Proto https/g, 'set-header X-Forwarded-Proto http')
    .replace('default-server check port 54321 inter 1s', 'default-server inter 1s')
    .replaceAll(/server node(\d) \S+:54321$/gm, (_, n) => `server node${n} 127.0.0.1:${nodes[n - 1]?.api}`)
    .replaceAll(
      /server node(\d) \S+:54323$/gm,
      (_, n) => `server node${n} 127.0.0.1:${nodes[n - 1]?.console} check port ${nodes[n - 1]?.api}`,
    );
  if (/10\.0\.0\.|:54321|:54323|\/etc\//.test(text.replaceAll(/#.*/g, '')))
    throw new Error('deploy/cluster/haproxy.cfg has lines that the drill does not adapt.');
  return text;
}

export async function startBalancer(folder: string, nodes: readonly NodePorts[]): Promise<Balancer> {
  const frontends = { api: await freePort(), console: await freePort() };
  const path = join(folder, 'haproxy.cfg');
  writeFileSync(path, settingsFor(nodes, frontends));
  const child: ChildProcess = spawn(programPath('haproxy'), ['-f', path], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr?.on('data', (text) => {
    errors += text;
  });
  const url = `http://127.0.0.1:${frontends.api}`;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended: ${errors}`);
    const response = await fetch(`${url}/health/live`).catch(() => undefined);
    if (response?.ok) break;
    await sleep(100);
  }
  return {
    url,
    pid: child.pid as number,
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
