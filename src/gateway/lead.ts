/** A port that only leads elsewhere: the local stack's Studio port, for bookmarks and habits. */
import type { AddressInfo } from 'node:net';
import { createServer } from '../kernel/http.ts';
import type { Logger } from '../kernel/log.ts';

export interface Lead {
  /** Undefined when the port is somebody else's; that is no reason not to start. */
  readonly port: number | undefined;
  close(): Promise<void>;
}

/** Every request to the port is redirected to `target()`. */
export async function openLead(host: string, port: number, target: () => string, log: Logger): Promise<Lead> {
  const server = createServer((_request, response) => {
    response.writeHead(302, { location: target(), 'content-length': '0', connection: 'close' }).end();
  });
  const opened = await new Promise<boolean>((resolve) => {
    server.once('error', (error) => {
      log.warn(
        { service: 'gateway', port, error: error.message },
        'the port that leads to the Console is taken',
      );
      resolve(false);
    });
    server.listen(port, host, () => resolve(true));
  });
  return {
    port: opened ? (server.address() as AddressInfo).port : undefined,
    close: () =>
      new Promise((resolve) => {
        if (!opened) return resolve();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
