/** Processes of this machine. */

export function isAlive(pid: number): boolean {
  // Other numbers would mean a group of processes.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
