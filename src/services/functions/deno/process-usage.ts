/**
 * Reads the CPU time and memory of another process from /proc, which exists only on Linux. On other platforms, the
 * result is undefined, so the limits on CPU time and memory have no effect.
 */
import { closeSync, openSync, readSync } from 'node:fs';

/**
 * The unit of times in /proc. On all platforms that Node supports, Linux reports times to programs in units of 1/100 s
 * (USER_HZ).
 */
const msPerTick = 10;
const pageBytes = 4096;

export interface ProcessUsage {
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

/** Opens the process's files in /proc and keeps them open, so that reading the usage takes only a few microseconds. */
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
