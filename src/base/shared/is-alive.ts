/**
 * Whether a process with this ID exists on this machine. The result is also true for processes of other users, which
 * can't be signaled.
 */
export function isAlive(pid: number): boolean {
  // Zero and negative IDs would refer to process groups.
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
