/**
 * How a function of the database asks this process something and waits for the answer: PostgreSQL connects to us, by
 * dblink, through a socket in the folder of its own. The folder is the server's alone, so that nobody else gets here, and
 * dblink lets only superusers connect without a password: the definer functions of our extensions.
 */
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Logger } from '../../kernel/log.ts';
import { answer, declined, FrameReader, refusal, welcome } from './frames.ts';

/** Gets what the function sent and gives what it shall get. `signal`: the caller was cancelled or is gone. */
export type Answerer = (question: string, signal: AbortSignal) => Promise<string>;

export interface BridgeOptions {
  /** PostgreSQL's own folder for sockets. */
  readonly socketDir: string;
  /** The number in the name of the socket, the same as `http--1.6.sql` works out. */
  readonly number: number;
  readonly answerer: Answerer;
  readonly log: Logger;
}

const closeGraceMs = 3_000;

export interface Bridge {
  close(): Promise<void>;
}

export async function openBridge({ socketDir, number, answerer, log }: BridgeOptions): Promise<Bridge> {
  const folder = join(socketDir, 'bridge');
  mkdirSync(folder, { recursive: true });
  // PostgreSQL may run as another user; the folder around this one is closed to everybody else.
  chmodSync(folder, 0o711);
  const path = join(folder, `.s.PGSQL.${number}`);
  // Of a process that was killed.
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serve(socket, answerer, log);
  });
  await listen(server, path);
  chmodSync(path, 0o777);
  server.on('error', (error) => log.warn({ error }, 'the bridge to the database is in trouble'));
  return {
    close: () =>
      new Promise((done) => {
        // A connection is there for one question; what is being answered may end.
        const late = setTimeout(() => {
          for (const socket of sockets) socket.destroy();
        }, closeGraceMs);
        server.close(() => {
          clearTimeout(late);
          done();
        });
      }),
  };
}

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(path, () => {
      server.removeListener('error', fail);
      done();
    });
  });

function serve(socket: Socket, answerer: Answerer, log: Logger): void {
  const reader = new FrameReader();
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  socket.on('error', () => socket.destroy());
  const ask = async (question: string): Promise<void> => {
    let sent: Buffer;
    try {
      sent = answer(await answerer(question, gone.signal));
    } catch (error) {
      if (gone.signal.aborted) return;
      log.error({ error }, 'a question of the database could not be answered');
      sent = refusal('the server process could not answer');
    }
    socket.write(sent);
  };
  socket.on('data', (chunk) => {
    try {
      for (const frame of reader.read(chunk as Buffer)) {
        if (frame.kind === 'encryption') socket.write(declined);
        else if (frame.kind === 'startup') socket.write(welcome());
        else if (frame.kind === 'query') void ask(frame.text);
        else socket.destroy();
      }
    } catch {
      socket.destroy();
    }
  });
}
