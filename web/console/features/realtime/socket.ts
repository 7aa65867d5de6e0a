/**
 * One channel over one WebSocket, in the Phoenix protocol's JSON form (vsn 1.0.0), which realtime serves to every client.
 * Small on purpose: the page lists each frame, and a client library would keep most of them to itself.
 */

export interface Frame {
  readonly topic: string;
  readonly event: string;
  readonly payload: Record<string, unknown>;
  readonly ref: string | null;
}

export interface ChannelOptions {
  /** Of the realtime service, with its key. */
  readonly address: string;
  /** Without `realtime:`. */
  readonly topic: string;
  readonly config: Readonly<Record<string, unknown>>;
  /** Undefined: the key of the address says who it is. */
  readonly accessToken: string | undefined;
  readonly onFrame: (frame: Frame) => void;
  /** `reason`: '' when it was closed by ourselves. */
  readonly onClosed: (reason: string) => void;
}

export interface Channel {
  send(event: string, payload: Readonly<Record<string, unknown>>): void;
  close(): void;
}

const heartbeatMs = 25_000;

export function openChannel(options: ChannelOptions): Channel {
  const socket = new WebSocket(options.address);
  const topic = `realtime:${options.topic}`;
  let lastRef = 0;
  let beat: ReturnType<typeof setInterval> | undefined;
  let isOurs = false;

  const push = (to: string, event: string, payload: unknown): void => {
    if (socket.readyState !== WebSocket.OPEN) return;
    const ref = String(++lastRef);
    socket.send(JSON.stringify({ topic: to, event, payload, ref, join_ref: '1' }));
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

/** Undefined for what is no frame. */
export function readFrame(data: unknown): Frame | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const { topic, event, payload, ref } = JSON.parse(data) as Partial<Frame>;
    if (typeof topic !== 'string' || typeof event !== 'string') return undefined;
    return { topic, event, payload: payload ?? {}, ref: ref ?? null };
  } catch {
    return undefined;
  }
}
