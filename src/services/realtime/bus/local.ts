/** Creates the bus for a process that is the only process serving its database. */
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
