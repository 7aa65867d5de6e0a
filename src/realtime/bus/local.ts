/** Creates the bus for a process that serves its database alone. */
import type { Bus } from './types.ts';

export function createLocalBus(): Bus {
  return {
    send() {},
    peers: 0,
    trouble: undefined,
    async start() {},
    async stop() {},
  };
}
