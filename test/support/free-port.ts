import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * The range from which ports are chosen. Operating systems assign higher ports to connections and to servers that
 * listen on port 0 (Linux: from 32768, macOS and Windows: from 49152), so other tests don't take a port before the
 * caller uses it.
 */
const firstPort = 20_000;
const lastPort = 31_999;

/** Returns a free port on this machine, for servers whose address must be known before they start. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(firstPort, lastPort + 1);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
