/** Waits until a worker accepts connections. */
import type { ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { errors, FunctionError } from '../errors.ts';

const bootTimeoutMs = 60_000;
const socketPollMs = 3;

/**
 * Resolves when the worker accepts connections on its socket. `isTimed` is false if a debugger can pause the worker for
 * any length of time.
 * @throws {FunctionError} boot, if the process exits first or the start takes too long
 */
export function waitForSocket(child: ChildProcess, socketPath: string, isTimed: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      clearInterval(poll);
      clearTimeout(timeout);
      if (error) reject(error);
      else resolve();
    };
    const probe = (): void => {
      const socket = connect(socketPath);
      socket.once('connect', () => {
        socket.destroy();
        settle();
      });
      // The socket's file can exist before the worker listens on it. In this case, the next poll tries again.
      socket.once('error', () => socket.destroy());
    };
    const poll = setInterval(() => {
      if (existsSync(socketPath)) probe();
    }, socketPollMs);
    const timeout = setTimeout(
      () => {
        child.kill('SIGKILL');
        settle(new FunctionError(errors.boot));
      },
      isTimed ? bootTimeoutMs : 2 ** 31 - 1,
    );
    child.once('exit', () => settle(new FunctionError(errors.boot)));
    child.once('error', (cause) => settle(new FunctionError(errors.boot, { cause })));
  });
}
