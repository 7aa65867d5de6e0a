/** The bus of a process that doesn't share its database with other processes. */
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
