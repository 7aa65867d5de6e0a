/** Checks whether processes on this machine are running. */

export function isAlive(pid: number): boolean {
  // Zero and negative values would refer to process groups.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
