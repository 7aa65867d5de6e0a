/**
 * Opens the byte stream to the server over TCP or a Unix socket, with TLS if requested.
 *
 * Chooses one of the hosts in a connection string. Selects the first host that accepts the login and provides the
 * requested kind of session, in the given order (PostgreSQL documentation, 32.1.1.3 and `target_session_attrs`).
 */
import { readFile } from 'node:fs/promises';
import { connect, isIP, type Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { ConnectionError } from '../errors.ts';
import type { ConnectionOptions } from '../exchange.ts';
import { MessageWriter } from '../messages/message-writer.ts';
import { SSL_REQUEST } from '../messages/messages.ts';
import type { ConnectionTarget, SessionKind } from './connection-string.ts';
import { readPrivate } from './private-files.ts';

const READ_SIZE = 64 * 1024;
/**
 * The maximum size of a read whose bytes are copied out of the buffer. For larger reads, the buffer itself is passed on
 * and replaced.
 */
const COPIED_SIZE = 16 * 1024;
/** The time limit for connecting and signing in together. */
export const DEFAULT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 60_000;

/**
 * Opens the stream. Resolves when the stream is ready to send bytes. The chunks that `onData` receives aren't modified
 * afterward, unless `lends` is true. If `lends` is true, a chunk may be overwritten as soon as `onData` returns.
 */
export async function openSocket(
  target: ConnectionTarget & Pick<ConnectionOptions, 'connectSignal'>,
  onData: (chunk: Buffer) => void,
  lends = false,
): Promise<Socket> {
  const unix = target.address === undefined && target.host.startsWith('/');
  const plain = unix || target.sslMode === 'disable';
  const address = unix
    ? { path: `${target.host}/.s.PGSQL.${target.port}` }
    : { host: target.address ?? target.host, port: target.port };
  const socket = connect(plain ? { ...address, onread: lends ? lend(onData) : readInto(onData) } : address);
  const timeoutMs = target.connectTimeoutMs ?? DEFAULT_TIMEOUT_MS;
  const timer = setTimeout(() => socket.destroy(new Error(`no response within ${timeoutMs} ms`)), timeoutMs);
  const abort = () => socket.destroy(new Error('the attempt was aborted'));
  target.connectSignal?.addEventListener('abort', abort);
  try {
    await connected(socket, target);
    if (unix) return socket;
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    if (plain) return socket;
    const secured = await negotiateTls(socket, target);
    secured.on('data', onData);
    // `negotiateTls` paused the socket after it had received the single-byte response to the TLS request.
    secured.resume();
    return secured;
  } finally {
    clearTimeout(timer);
    target.connectSignal?.removeEventListener('abort', abort);
  }
}

/** Returns a reader with a reused buffer, because most reads return a few hundred bytes. */
function readInto(onData: (chunk: Buffer) => void) {
  let buffer = Buffer.allocUnsafeSlow(READ_SIZE);
  return {
    buffer: () => buffer,
    callback: (size: number) => {
      if (size <= COPIED_SIZE) {
        onData(Buffer.from(buffer.subarray(0, size)));
      } else {
        const chunk = buffer.subarray(0, size);
        buffer = Buffer.allocUnsafeSlow(READ_SIZE);
        onData(chunk);
      }
      return true;
    },
  };
}

/**
 * The read buffer that all connections with `lends` share. The buffer can be shared because each connection processes
 * its data before another connection reads.
 */
let lentBuffer: Buffer | undefined;

function lend(onData: (chunk: Buffer) => void) {
  lentBuffer ??= Buffer.allocUnsafeSlow(READ_SIZE);
  const buffer = lentBuffer;
  return {
    buffer,
    callback: (size: number) => {
      onData(buffer.subarray(0, size));
      return true;
    },
  };
}

function connected(socket: Socket, target: ConnectionTarget): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(cannotConnect(target, cause));
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.off('error', fail);
      resolve();
    });
  });
}

async function negotiateTls(socket: Socket, target: ConnectionTarget): Promise<Socket> {
  const writer = new MessageWriter();
  writer.sslRequest(SSL_REQUEST);
  socket.write(writer.take());
  const reply = await firstByte(socket, target);
  if (reply !== 'S') {
    if (target.sslMode === 'prefer') return socket;
    socket.destroy();
    throw cannotConnect(
      target,
      new Error(`the server doesn't support TLS, but sslmode is ${target.sslMode}`),
    );
  }
  const checked = target.sslMode.startsWith('verify') || target.sslRootCert !== undefined;
  const tls = await import('node:tls');
  const files = await readTlsFiles(target).catch((cause: Error) => {
    socket.destroy();
    throw cannotConnect(target, cause);
  });
  const secured = tls.connect({
    socket,
    ...(isIP(target.host) === 0 ? { servername: target.host } : {}),
    ...files,
    rejectUnauthorized: checked,
    // libpq compares the certificate with the server's name only in the mode `verify-full`.
    ...(target.sslMode === 'verify-full'
      ? { checkServerIdentity: (_name, certificate) => tls.checkServerIdentity(target.host, certificate) }
      : { checkServerIdentity: () => undefined }),
  });
  await new Promise<void>((resolve, reject) => {
    secured.once('secureConnect', resolve);
    secured.once('error', (cause) => reject(cannotConnect(target, cause)));
    secured.once('close', () =>
      reject(cannotConnect(target, new Error('the server ended the TLS handshake'))),
    );
  });
  secured.removeAllListeners('error').removeAllListeners('close');
  return secured;
}

/** Reads the certificate files. The files are read again for each connection, because certificates are renewed. */
async function readTlsFiles(target: ConnectionTarget): Promise<SecureContextOptions> {
  const { sslRootCert, sslCert, sslKey, sslPassword } = target;
  const { getCACertificates } = await import('node:tls');
  return {
    ...(sslRootCert !== undefined && {
      ca: sslRootCert === 'system' ? getCACertificates('system') : await readFile(sslRootCert),
    }),
    ...(sslCert !== undefined && { cert: await readFile(sslCert) }),
    ...(sslCert !== undefined && sslKey !== undefined && { key: await readPrivate(sslKey) }),
    ...(sslPassword !== undefined && { passphrase: sslPassword }),
  };
}

/**
 * Reads the server's one-byte response. Throws an error if other data follows the response, because an attacker between
 * client and server could have injected that data (CVE-2021-23222).
 */
function firstByte(socket: Socket, target: ConnectionTarget): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(cannotConnect(target, cause));
    const closed = () => fail(new Error('the server closed the connection'));
    socket.once('error', fail);
    socket.once('close', closed);
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      socket.off('error', fail);
      socket.off('close', closed);
      if (chunk.length === 1) resolve(chunk.toString('latin1'));
      else fail(new Error("the server's response to the TLS request isn't a single byte"));
    });
  });
}

function cannotConnect(target: ConnectionTarget, cause: Error): ConnectionError {
  const endpoint = target.host.startsWith('/')
    ? `the socket in ${target.host}`
    : `${target.host}:${target.port}`;
  const message = `Cannot connect to PostgreSQL at ${endpoint}: ${cause.message}`;
  return new ConnectionError({ code: '08001', message, untouched: true }, { cause });
}

/**
 * Connects to the first suitable host. The callback `open` connects to one host and rejects sessions of a different
 * kind. If a host is unreachable, is starting up or provides a different kind of session, the next host is tried. As in
 * libpq, no other host is tried if a host rejects the login.
 */
export async function openFirst<Connection>(
  options: ConnectionOptions,
  open: (options: ConnectionOptions) => Promise<Connection>,
): Promise<Connection> {
  const { otherHosts = [], sessionKind = 'any' } = options;
  if (otherHosts.length === 0 && sessionKind !== 'prefer-standby') return open(options);
  const kinds: readonly SessionKind[] = sessionKind === 'prefer-standby' ? ['standby', 'any'] : [sessionKind];
  const failures: ConnectionError[] = [];
  for (const kind of kinds) {
    for (const { host, port, address } of [options, ...otherHosts]) {
      try {
        return await open({ ...options, host, port, address, sessionKind: kind });
      } catch (error) {
        if (!triesNextHost(error)) throw error;
        failures.push(error);
      }
    }
  }
  const message = [...new Set(failures.map((error) => error.message))].join('; ');
  throw new ConnectionError({ code: '08001', message, untouched: true }, { cause: failures[0] });
}

/** Whether the next host should be tried because this host is unreachable (08001) or starting up (57P03). */
const triesNextHost = (error: unknown): error is ConnectionError =>
  error instanceof ConnectionError && (error.code === '08001' || error.code === '57P03');

/**
 * Whether the session is of the given kind. `parameters` contains the parameters that the server has reported.
 * PostgreSQL 14 and newer report the two parameters that this function reads.
 */
export function isOfKind(kind: SessionKind, parameters: ReadonlyMap<string, string>): boolean {
  const isStandby = parameters.get('in_hot_standby') === 'on';
  const isReadOnly = isStandby || parameters.get('default_transaction_read_only') === 'on';
  switch (kind) {
    case 'any':
    case 'prefer-standby':
      return true;
    case 'read-write':
      return !isReadOnly;
    case 'read-only':
      return isReadOnly;
    case 'primary':
      return !isStandby;
    case 'standby':
      return isStandby;
  }
}
