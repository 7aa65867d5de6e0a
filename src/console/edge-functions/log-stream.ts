/**
 * A function's log lines as they come, by server-sent events (HTML standard, section 9.2). Bounded: so many streams at
 * once, each for so long (the browser comes back by itself, and its session is judged again), and a reader who is slower
 * than the function loses lines instead of piling them up here.
 */
import type { ServerResponse } from 'node:http';
import type { FunctionLogLine, FunctionLogs } from '../../functions/index.ts';
import { ConsoleError } from '../errors.ts';

const mostStreams = 30;
const longestMs = 5 * 60_000;
const heartbeatMs = 15_000;
const retryMs = 1000;

export interface LogStreams {
  /** @throws {ConsoleError} too_many */
  open(response: ServerResponse, slug: string, afterId: number): void;
  /** When the server stops: it would wait for them. */
  closeAll(): void;
}

export function createLogStreams(logs: FunctionLogs, redact: (text: string) => string): LogStreams {
  const open = new Set<() => void>();
  return {
    open(response, slug, afterId) {
      if (open.size >= mostStreams)
        throw new ConsoleError('too_many', { message: 'Too many log streams are open.', waitSeconds: 10 });
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'x-accel-buffering': 'no',
      });
      let isFull = false;
      const send = (line: FunctionLogLine): void => {
        if (line.function !== slug || isFull) return;
        const data = JSON.stringify({ ...line, line: redact(line.line) });
        isFull = !response.write(`id: ${line.id}\ndata: ${data}\n\n`);
      };
      response.write(`retry: ${retryMs}\n\n`);
      for (const line of logs.recent({ function: slug, afterId })) send(line);
      const unfollow = logs.follow(send);
      response.on('drain', () => {
        isFull = false;
      });
      const beat = setInterval(() => {
        if (!isFull) response.write(':\n\n');
      }, heartbeatMs);
      const end = setTimeout(() => response.end(), longestMs);
      beat.unref();
      end.unref();
      const close = (): void => {
        response.end();
      };
      open.add(close);
      response.once('close', () => {
        unfollow();
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
