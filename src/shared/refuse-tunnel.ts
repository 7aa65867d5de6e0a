/** Fails requests whose server switches to another protocol. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Calls `fail` if the server responds with status 101, or with success to CONNECT. Without a listener, Node.js closes
 * the connection without an event, and even a timeout wouldn't end the request.
 */
export function refuseTunnel(request: ClientRequest, fail: (error: Error) => void): void {
  const refuse = (_response: IncomingMessage, socket: Duplex): void => {
    socket.destroy();
    fail(new Error('the server switched to another protocol'));
  };
  request.once('upgrade', refuse).once('connect', refuse);
}
