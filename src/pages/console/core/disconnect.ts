/** Detects that the client has disconnected, even if the disconnection happened before the handler was called. */
import type { ServerResponse } from 'node:http';

/** Calls `listener` when the response is closed, or immediately if the response is already closed. */
export function onDisconnect(response: ServerResponse, listener: () => void): void {
  // The `close` event isn't emitted again if the response is already closed.
  if (response.closed) listener();
  else response.once('close', listener);
}

/** Returns a signal that aborts when the client disconnects. */
export function disconnected(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  onDisconnect(response, () => gone.abort());
  return gone.signal;
}
