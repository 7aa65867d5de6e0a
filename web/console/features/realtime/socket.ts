/**
 * Connects to one channel over one WebSocket with protocol version 2.0.0, which current clients use. This module
 * doesn't use a client library, because the page shows every frame and a library would hide most frames.
 */

import { type Frame, readFrame, writeFrame } from './frame.ts';

export interface ChannelOptions {
  /** The address of the realtime service, including its key. */
  readonly address: string;
  /** The topic without the prefix `realtime:`. */
  readonly topic: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** The user's access token. If undefined, the key in the URL determines the user. */
  readonly accessToken: string | undefined;
  readonly onFrame: (frame: Frame) => void;
  /** `reason` is empty if the page itself closed the channel. */
  readonly onClosed: (reason: string) => void;
}

export interface Channel {
  send(event: string, payload: Readonly<Record<string, unknown>>): void;
  close(): void;
}

const heartbeatMs = 25_000;

export function openChannel(options: ChannelOptions): Channel {
  const socket = new WebSocket(options.address);
  socket.binaryType = 'arraybuffer';
  const topic = `realtime:${options.topic}`;
  let lastRef = 0;
  let beat: ReturnType<typeof setInterval> | undefined;
  let isOurs = false;

  const push = (to: string, event: string, payload: unknown): void => {
    if (socket.readyState !== WebSocket.OPEN) return;
    const ref = String(++lastRef);
    socket.send(writeFrame(to, event, payload, ref));
  };
  socket.onopen = () => {
    const { config, accessToken } = options;
    push(topic, 'phx_join', {
      config,
      ...(accessToken === undefined ? {} : { access_token: accessToken }),
    });
    beat = setInterval(() => push('phoenix', 'heartbeat', {}), heartbeatMs);
  };
  socket.onmessage = ({ data }: MessageEvent<unknown>) => {
    const frame = readFrame(data);
    if (frame !== undefined && frame.topic === topic) options.onFrame(frame);
  };
  socket.onclose = ({ code, reason }) => {
    clearInterval(beat);
    options.onClosed(isOurs ? '' : reason || String(code));
  };
  return {
    send: (event, payload) => push(topic, event, payload),
    close() {
      isOurs = true;
      push(topic, 'phx_leave', {});
      socket.close();
    },
  };
}
