/** A connection to a worker. */
import type { Socket } from 'node:net';
import { EarlyResponseSocket } from '../shared/early-response.ts';

/** Connects to a worker. Calls `done` once, with the open socket or with an error. */
export function connectWorker(
  socketPath: string,
  done: (...outcome: [error: null, socket: Socket] | [error: Error, socket: null]) => void,
): void {
  const socket = new EarlyResponseSocket();
  const refused = (error: Error): void => done(error, null);
  socket.once('error', refused);
  socket.connect(socketPath, () => {
    socket.off('error', refused);
    done(null, socket);
  });
}
