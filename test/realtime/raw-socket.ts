/** Opens a raw WebSocket for frames that the stock client never sends. */
import { WebSocket } from 'ws';
import { until } from './harness.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read frames of every shape
type Json = any;

export interface RawSocket {
  /** All received frames, as parsed text or as bytes. */
  readonly frames: Json[];
  readonly closed: { code: number; reason: string } | undefined;
  send(frame: Json): void;
  sendBytes(bytes: Buffer): void;
  sendText(text: string): void;
  /**
   * Removes and returns the first frame that satisfies the condition. Waits for such a frame if none has been received
   * yet.
   */
  next(test: (frame: Json) => boolean): Promise<Json>;
  /** Stops reading until `resume` is called. */
  pause(): void;
  resume(): void;
  close(): void;
}

export async function openRaw(url: string): Promise<RawSocket> {
  const socket = new WebSocket(url);
  const frames: Json[] = [];
  let closed: { code: number; reason: string } | undefined;
  socket.on('message', (data: Buffer, binary: boolean) =>
    frames.push(binary ? data : JSON.parse(data.toString())),
  );
  socket.on('close', (code, reason) => {
    closed = { code, reason: reason.toString() };
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  socket.on('error', () => {});
  return {
    frames,
    get closed() {
      return closed;
    },
    send: (frame) => socket.send(JSON.stringify(frame)),
    sendBytes: (bytes) => socket.send(bytes),
    sendText: (text) => socket.send(text),
    next: (test) =>
      until(() => {
        const index = frames.findIndex(test);
        return index >= 0 && frames.splice(index, 1)[0];
      }),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    close: () => socket.terminate(),
  };
}

/** Returns a binary frame that broadcasts `data` (kind 3). */
export function userBroadcast(
  topic: string,
  event: string,
  encoding: 0 | 1,
  data: Buffer,
  ref = '9',
): Buffer {
  const parts = ['1', ref, topic, event].map((part) => Buffer.from(part));
  return Buffer.concat([Buffer.from([3, ...parts.map((part) => part.length), 0, encoding]), ...parts, data]);
}
