/** Finds the process that owns a connection (Linux, from /proc). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Whether the process has a connection with this local port. */
export function ownsPort(pid: number, port: number | undefined): boolean {
  if (port === undefined) return false;
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').split('\n'));
  const fields = lines.map((line) => line.trim().split(/\s+/));
  const inodes = new Set(
    fields.filter(([, local]) => local?.endsWith(`:${hex}`)).map((each) => `socket:[${each[9]}]`),
  );
  return readdirSync(`/proc/${pid}/fd`).some((fd) => {
    try {
      return inodes.has(readlinkSync(`/proc/${pid}/fd/${fd}`));
    } catch {
      return false; // The file was closed in the meantime.
    }
  });
}
