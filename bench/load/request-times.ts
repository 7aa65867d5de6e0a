/**
 * Records when a server accepts a connection, reads a request, starts to handle the request and writes its response. Uses
 * Node's and Fastify's diagnostics channels, so the server doesn't need any code for the measurement.
 *
 * All times are milliseconds of the machine's monotonic clock, so times of several processes can be compared.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The times of one request on the server. */
export interface RequestTimes {
  /** The client's port, which identifies the connection. */
  readonly port: number;
  /** The time at which the server accepted the request's connection. */
  readonly acceptedAt: number;
  /** The time at which the server had read the request's head. */
  readonly readAt: number;
  /** The time at which a service started to handle the request. Undefined if the request was rejected before that. */
  startedAt: number | undefined;
  /** The time at which the server had written the response. */
  writtenAt: number;
}

/**
 * The CPU time that the server's main thread had used at a time. The difference between two points is the time that a
 * request would have waited if other programs didn't use the CPU.
 */
export interface CpuPoint {
  readonly at: number;
  readonly cpuMs: number;
}

export interface RecordedTimes {
  /** The requests, in the order of their responses. */
  readonly requests: readonly RequestTimes[];
  /** The points at which the server accepted a connection, read a request or wrote a response, in order. */
  readonly cpu: readonly CpuPoint[];
}

export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Starts recording. Returns a function that stops recording and returns the recorded times. */
export function recordRequestTimes(): () => RecordedTimes {
  const accepted = new WeakMap<Socket, number>();
  const open = new WeakMap<IncomingMessage, RequestTimes>();
  const requests: RequestTimes[] = [];
  const cpu: CpuPoint[] = [];
  const now = (): number => {
    const { user, system } = process.threadCpuUsage();
    const at = monotonicMs();
    cpu.push({ at, cpuMs: (user + system) / 1000 });
    return at;
  };
  const onSocket = (message: unknown): void => {
    accepted.set((message as { socket: Socket }).socket, now());
  };
  const onRead = (message: unknown): void => {
    const { request, socket } = message as { request: IncomingMessage; socket: Socket };
    open.set(request, {
      port: socket.remotePort ?? 0,
      acceptedAt: accepted.get(socket) ?? 0,
      readAt: now(),
      startedAt: undefined,
      writtenAt: 0,
    });
  };
  const onStart = (message: unknown): void => {
    const times = open.get((message as { request: { raw: IncomingMessage } }).request.raw);
    if (times !== undefined) times.startedAt = monotonicMs();
  };
  const onWritten = (message: unknown): void => {
    const { request } = message as { request: IncomingMessage; response: ServerResponse };
    const times = open.get(request);
    if (times === undefined) return;
    times.writtenAt = now();
    requests.push(times);
  };
  const listeners = {
    'net.server.socket': onSocket,
    'http.server.request.start': onRead,
    'tracing:fastify.request.handler:start': onStart,
    'http.server.response.finish': onWritten,
  };
  for (const [name, listener] of Object.entries(listeners)) subscribe(name, listener);
  return () => {
    for (const [name, listener] of Object.entries(listeners)) unsubscribe(name, listener);
    return { requests, cpu };
  };
}
