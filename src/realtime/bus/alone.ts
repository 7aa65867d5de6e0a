/** The bus of a process that has its database to itself. */
import type { Bus } from './types.ts';

export function createAloneBus(): Bus {
  return {
    send() {},
    peers: 0,
    trouble: undefined,
    async start() {},
    async stop() {},
  };
}
