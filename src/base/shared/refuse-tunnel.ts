/** Fails requests if the server switches to another protocol. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Calls `fail` if the server sends status 101, or a success status in response to CONNECT. Without a listener for these
 * events, Node.js closes the connection without an event, and even a timeout wouldn't end the request.
 */
export function refuseTunnel(request: ClientRequest, fail: (error: Error) => void): void {
  const refuse = (_response: IncomingMessage, socket: Duplex): void => {
    socket.destroy();
    fail(new Error('the server switched to another protocol'));
  };
  request.once('upgrade', refuse).once('connect', refuse);
}
