/**
 * Lets a database function send a request to this process and wait for the response. PostgreSQL connects with dblink
 * through a Unix socket. Only the server can access the socket's folder, and dblink only lets superusers connect
 * without a password, so only the definer functions of Plinth's extensions can use the socket.
 */
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Logger } from '../../kernel/log.ts';
import { declined, FrameReader, refusal, textResult, welcome } from './frames.ts';

/**
 * Receives the function's request and returns the response. `signal` aborts when the caller is canceled or has
 * disconnected.
 */
export type RequestHandler = (question: string, signal: AbortSignal) => Promise<string>;

export interface BridgeOptions {
  /** PostgreSQL's socket folder. */
  readonly socketDir: string;
  /** The number in the socket's name. `http--1.6.sql` computes the same number. */
  readonly number: number;
  readonly answerer: RequestHandler;
  readonly log: Logger;
}

const closeGraceMs = 3_000;

export interface Bridge {
  close(): Promise<void>;
}

export async function openBridge({ socketDir, number, answerer, log }: BridgeOptions): Promise<Bridge> {
  const folder = join(socketDir, 'bridge');
  mkdirSync(folder, { recursive: true });
  // PostgreSQL may run as a different user. All other users are denied access to the parent folder.
  chmodSync(folder, 0o711);
  const path = join(folder, `.s.PGSQL.${number}`);
  // Removes the socket that a killed process left behind.
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serve(socket, answerer, log);
  });
  await listen(server, path);
  chmodSync(path, 0o777);
  server.on('error', (error) => log.warn({ error }, 'the database bridge failed'));
  return {
    close: () =>
      new Promise((done) => {
        // Each connection carries one request. Requests in progress have time to finish.
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

function serve(socket: Socket, answerer: RequestHandler, log: Logger): void {
  const reader = new FrameReader();
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  socket.on('error', () => socket.destroy());
  const ask = async (question: string): Promise<void> => {
    let sent: Buffer;
    try {
      sent = textResult(await answerer(question, gone.signal));
    } catch (error) {
      if (gone.signal.aborted) return;
      log.error({ error }, 'failed to respond to a request from the database');
      sent = refusal('the server process failed to respond');
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
