/** Starts child processes with IPC for benchmarks, and reads the CPU time of processes (Linux, from /proc). */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { LoadJob, LoadResult } from './client.ts';

export function startChild(path: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
  return fork(path, { execArgv: [], env: { ...process.env, NODE_ENV: 'production', ...env } });
}

/** Returns the next message from a child process. Rejects if the child process exits. */
export async function nextMessage<T>(child: ChildProcess): Promise<T> {
  const ended = new AbortController();
  const exited = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`A child of the benchmark ended with ${code}.`);
  });
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: ended.signal }), exited]);
    return message as T;
  } finally {
    exited.catch(() => {});
    ended.abort();
  }
}

export async function runLoad(job: LoadJob): Promise<LoadResult> {
  const client = startChild(fileURLToPath(new URL('client.ts', import.meta.url)));
  client.send(job);
  return nextMessage<LoadResult>(client);
}

const TICKS_PER_SECOND = 100;

function statOf(pid: number): { parent: number; own: number; reaped: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const [utime = 0, stime = 0, childUtime = 0, childStime = 0] = fields.slice(11, 15);
    return { parent, own: utime + stime, reaped: childUtime + childStime };
  } catch {
    return undefined;
  }
}

/** Returns the CPU time of a process in microseconds. */
export const cpuOf = (pid: number): number => ((statOf(pid)?.own ?? 0) / TICKS_PER_SECOND) * 1e6;

/**
 * Returns the CPU time, in microseconds, of a process and its children, including children that have exited. For
 * PostgreSQL, pass the postmaster's process ID.
 */
export function cpuOfTree(root: number): number {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    const stat = Number.isInteger(pid) ? statOf(pid) : undefined;
    if (stat !== undefined && (pid === root || stat.parent === root)) ticks += stat.own + stat.reaped;
  }
  return (ticks / TICKS_PER_SECOND) * 1e6;
}

/** Returns the number of open sockets of a process, including pipes to this process and connections to PostgreSQL. */
export const socketsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
