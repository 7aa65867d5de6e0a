/** Detects request bodies that end early. */
import type { Readable } from 'node:stream';

/**
 * Calls `listener` if the body is closed before it has been read to its end, even if that has already happened. Returns
 * a function that removes the listener.
 *
 * The property `complete` of a request isn't sufficient. It is true as soon as Node has received the whole body. If the
 * client then disconnects, Node discards the bytes that haven't been read, and the body never ends.
 */
export function onCutShort(body: Readable, listener: () => void): () => void {
  let isRemoved = false;
  const onClose = (): void => {
    if (!isRemoved && !body.readableEnded) listener();
  };
  // The `close` event isn't emitted again. The call is deferred so that the caller receives the returned function first.
  if (body.closed) queueMicrotask(onClose);
  else body.once('close', onClose);
  return () => {
    isRemoved = true;
    body.off('close', onClose);
  };
}
