/** Checks TCP ports on the loopback interface. */
import { createServer } from 'node:net';
import { DatabaseError } from '../errors.ts';

/** Returns the given port if it is free. If the port is 0, returns any free port. @throws {DatabaseError} port_taken */
export function claimPort(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new DatabaseError('port_taken', { port, host }, error) : error);
    });
    probe.listen({ port, host, exclusive: true }, () => {
      const address = probe.address();
      const chosen = typeof address === 'object' && address !== null ? address.port : port;
      probe.close(() => resolve(chosen));
    });
  });
}
