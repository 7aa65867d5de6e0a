/** Observes the process of a worker: its output, when it accepts connections, and its use of CPU time and memory. */

import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { connect } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { errors, FunctionError } from '../errors.ts';

const maxLineChars = 16_384;

/** Splits a stream into lines. Long lines are truncated. */
export function createLineReader(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
    while (rest.length > maxLineChars) {
      onLine(rest.slice(0, maxLineChars));
      rest = rest.slice(maxLineChars);
    }
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
  });
}

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

/**
 * The unit of times in /proc. On all platforms that Node supports, Linux reports times to programs in units of 1/100 s
 * (USER_HZ).
 */
const msPerTick = 10;
const pageBytes = 4096;

interface ProcessUsage {
  /** The total CPU time of all threads, in milliseconds. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

/**
 * The maximum age of the values. The CPU time has a resolution of 10 ms, so reading the values more often isn't useful.
 */
const freshMs = 10;

export interface UsageReader {
  /** Returns the usage. The returned values are at most 10 ms old. */
  read(): ProcessUsage | undefined;
  /**
   * Returns the CPU time of the first thread, which runs the function's JavaScript. The first thread's CPU time is more
   * precise than the CPU time of the process.
   */
  threadMs(): number | undefined;
  close(): void;
}

/**
 * Opens the process's files in /proc and keeps them open, so that reading the usage takes only a few microseconds.
 * /proc exists only on Linux. On other platforms, the usage is undefined, so the limits on CPU time and memory have no
 * effect.
 */
export function openUsage(pid: number | undefined): UsageReader {
  const open = (name: string): OpenFile => ({ path: `/proc/${pid}/${name}`, descriptor: undefined });
  const files = [open('stat'), open('statm'), open('schedstat')] as const;
  const [stat, statm, schedstat] = files;
  const buffer = Buffer.alloc(1024);
  const text = (given: OpenFile): string | undefined => {
    // If a file can't be opened because this process has no free file descriptor, a later read tries again.
    given.descriptor ??= descriptorOf(given.path);
    const file = given.descriptor;
    if (file === undefined) return undefined;
    try {
      return buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0));
    } catch {
      return undefined;
    }
  };
  for (const file of files) file.descriptor = descriptorOf(file.path);
  let isOpen = true;
  let last: ProcessUsage | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  return {
    read() {
      const now = performance.now();
      if (now - lastAt < freshMs) return last;
      lastAt = now;
      last = readNow();
      return last;
    },
    threadMs() {
      const facts = isOpen ? text(schedstat) : undefined;
      return facts === undefined ? undefined : Number.parseInt(facts, 10) / 1e6;
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      for (const { descriptor } of files) if (descriptor !== undefined) closeSync(descriptor);
    },
  };

  function readNow(): ProcessUsage | undefined {
    const facts = isOpen ? text(stat) : undefined;
    const pages = isOpen ? text(statm) : undefined;
    if (facts === undefined || pages === undefined) return undefined;
    // In /proc/PID/stat, the program name is in parentheses and can contain spaces, so fields are counted from the last
    // closing parenthesis.
    const fields = facts.slice(facts.lastIndexOf(')') + 2).split(' ');
    return {
      cpuMs: (Number(fields[11]) + Number(fields[12])) * msPerTick,
      memoryBytes: Number(pages.split(' ')[1]) * pageBytes,
    };
  }
}

interface OpenFile {
  readonly path: string;
  descriptor: number | undefined;
}

function descriptorOf(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch {
    return undefined;
  }
}
