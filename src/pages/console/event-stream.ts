/**
 * Streams log entries as server-sent events (HTML standard, section 9.2). The number and duration of streams are
 * limited, and the session is checked at each heartbeat. When a stream ends, the browser reconnects automatically. If a
 * client reads too slowly, entries are dropped and the client is sent the number of dropped entries.
 */
import type { ServerResponse } from 'node:http';
import { ConsoleError } from './errors.ts';

/** The maximum number of streams for each of the two logs (the services' log and the functions' log). */
const maxStreams = 30;
const maxStreamMs = 5 * 60_000;
const heartbeatMs = 5_000;
const flushMs = 200;
/** The maximum number of log entries per message. */
const maxEntries = 200;

export interface EventStreams {
  /**
   * Opens a stream. `follow` receives a function that sends a log entry as JSON, and returns a function that stops
   * following the log. If entries have IDs, a reconnecting browser sends the ID of the last entry that it received
   * (HTML standard, section 9.2.4).
   * @throws {ConsoleError} too_many
   */
  open(
    response: ServerResponse,
    follow: (send: (json: string, id?: string) => void) => () => void,
    /** Rejects if the operator isn't allowed to read the stream anymore. */
    authorize: () => Promise<unknown>,
  ): void;
  /**
   * Closes all streams. Called when the server stops, because otherwise the server would wait for the streams to end.
   */
  closeAll(): void;
}

export function createEventStreams(): EventStreams {
  const open = new Set<() => void>();
  return {
    open(response, follow, authorize) {
      if (open.size >= maxStreams)
        throw new ConsoleError('too_many', {
          message: 'Too many operators are following the logs.',
          waitSeconds: 10,
        });
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-accel-buffering': 'no',
      });
      response.write('retry: 1000\n\n');
      let waiting: string[] = [];
      let left = 0;
      let lastId: string | undefined;
      const unfollow = follow((json, id) => {
        if (waiting.length < maxEntries) waiting.push(json);
        else left++;
        lastId = id;
      });
      const flush = setInterval(() => {
        if (waiting.length === 0 || response.writableNeedDrain) return;
        if (lastId !== undefined) response.write(`id: ${lastId}\n`);
        response.write(`data: {"entries":[${waiting.join(',')}],"left":${left}}\n\n`);
        waiting = [];
        left = 0;
      }, flushMs);
      const close = (): void => void response.end();
      const beat = setInterval(() => {
        response.write(':\n\n');
        // The session may have ended, or the operator's role may have changed.
        authorize().catch(close);
      }, heartbeatMs);
      const end = setTimeout(close, maxStreamMs);
      for (const timer of [flush, beat, end]) timer.unref();
      open.add(close);
      response.once('close', () => {
        unfollow();
        clearInterval(flush);
        clearInterval(beat);
        clearTimeout(end);
        open.delete(close);
      });
    },
    closeAll() {
      for (const close of [...open]) close();
    },
  };
}
