/** CPU time and memory of another process, from /proc (Linux). Elsewhere undefined: CPU and memory limits are off. */
import { readFileSync } from 'node:fs';

/** Linux reports times in 1/100 s to user space on every platform Node runs on (USER_HZ). */
const msPerTick = 10;
const pageBytes = 4096;

export function readUsage(pid: number): { cpuMs: number; memoryBytes: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name stands in parentheses and may hold blanks: fields are counted after the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return { cpuMs: ticks * msPerTick, memoryBytes: pages * pageBytes };
  } catch {
    return undefined;
  }
}
