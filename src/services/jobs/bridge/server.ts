/**
 * Allows a database function to send a request to this process and wait for the response. PostgreSQL connects to a Unix
 * socket of this process with dblink. Only the PostgreSQL server can access the socket's folder, and only superusers
 * can use dblink without a password. Therefore, only security definer functions of Plinth's extensions can use the
 * socket.
 */
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Logger } from '../../../base/kernel/log.ts';
import { declined, FrameReader, rejection, textResult, welcome } from './frames.ts';

/**
 * Handles a request from a function and returns the response. `signal` aborts when the caller's query is canceled or
 * the caller disconnects.
 */
export type RequestHandler = (question: string, signal: AbortSignal) => Promise<string>;

export interface BridgeOptions {
  /** The folder that contains PostgreSQL's socket. */
  readonly socketDir: string;
  /** The number in the socket's file name. The SQL functions of the extensions compute the same number. */
  readonly number: number;
  readonly handler: RequestHandler;
  readonly log: Logger;
}

const closeGraceMs = 3_000;

export interface Bridge {
  close(): Promise<void>;
}

export async function openBridge({ socketDir, number, handler, log }: BridgeOptions): Promise<Bridge> {
  const folder = join(socketDir, 'bridge');
  mkdirSync(folder, { recursive: true });
  // Lets PostgreSQL enter the folder, because it may run as a different user. The parent folder prevents access by all
  // other users.
  chmodSync(folder, 0o711);
  const path = join(folder, `.s.PGSQL.${number}`);
  // Removes the socket that a killed process may have left behind.
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serve(socket, handler, log);
  });
  await listen(server, path);
  chmodSync(path, 0o777);
  server.on('error', (error) => log.warn({ error }, 'the database bridge failed'));
  return {
    close: () =>
      new Promise((done) => {
        // A client sends only one request on each connection. When the server stops, pending requests have a limited
        // time to finish.
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

function serve(socket: Socket, handler: RequestHandler, log: Logger): void {
  const reader = new FrameReader();
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  socket.on('error', () => socket.destroy());
  const runQuery = async (question: string): Promise<void> => {
    let sent: Buffer;
    try {
      sent = textResult(await handler(question, gone.signal));
    } catch (error) {
      if (gone.signal.aborted) return;
      log.error({ error }, 'failed to respond to a request from the database');
      sent = rejection('the server process failed to respond');
    }
    socket.write(sent);
  };
  socket.on('data', (chunk) => {
    try {
      for (const frame of reader.read(chunk as Buffer)) {
        if (frame.kind === 'encryption') socket.write(declined);
        else if (frame.kind === 'startup') socket.write(welcome());
        else if (frame.kind === 'query') void runQuery(frame.text);
        else socket.destroy();
      }
    } catch {
      socket.destroy();
    }
  });
}
