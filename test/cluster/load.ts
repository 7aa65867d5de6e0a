/** Sends requests at a steady rate over persistent connections, and counts the failed requests. */
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Load {
  readonly sent: number;
  readonly failures: readonly string[];
  /** Stops sending requests. Resolves when every response has arrived. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly perSecond: number;
}

export function startLoad({ url, headers, connections, perSecond }: LoadOptions): Load {
  const failures: string[] = [];
  let sent = 0;
  let isStopped = false;
  const once = (agent: Agent): Promise<void> =>
    new Promise((resolve) => {
      sent += 1;
      const call = request(url, { agent, headers }, (response) => {
        response.resume();
        response.on('error', (error) => failures.push(error.message));
        response.on('close', () => {
          if (response.statusCode !== 200) failures.push(`status ${response.statusCode}`);
          else if (!response.complete) failures.push('incomplete');
          resolve();
        });
      });
      call.on('error', (error) => {
        failures.push(error.message);
        resolve();
      });
      call.end();
    });
  const client = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const intervalMs = (1000 * connections) / perSecond;
    let due = performance.now() + Math.random() * intervalMs;
    while (!isStopped) {
      await sleep(Math.max(0, due - performance.now()));
      due = Math.max(due + intervalMs, performance.now());
      await once(agent);
    }
    agent.destroy();
  };
  const clients = Array.from({ length: connections }, client);
  return {
    get sent() {
      return sent;
    },
    failures,
    async stop() {
      isStopped = true;
      await Promise.all(clients);
    },
  };
}
