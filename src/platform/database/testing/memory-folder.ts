/**
 * Finds a folder in memory for test clusters and temporary files. Tests create and delete hundreds of databases with a
 * thousand files each. If these files are on a disk, file system operations can use most of a test's CPU time.
 */
import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const folder = '/dev/shm';
const GiB = 1024 ** 3;
/**
 * The minimum free space in the folder. A test run uses up to about 2 GiB, and the test servers need a reserve. In
 * containers, the size of the folder is often only 64 MiB.
 */
const neededBytes = 4 * GiB;
/** The memory that the processes of three test workers need. */
const otherMemoryBytes = 3 * GiB;

/**
 * Returns the folder, or undefined if the user has set TMPDIR or the machine has too little memory. `programs` requires
 * a folder from which programs can be started. In containers, programs often can't be started from such a folder.
 */
export function memoryFolder({ programs = false } = {}): string | undefined {
  // The test run has already chosen the folder in memory for temporary files.
  if (tmpdir().startsWith(`${folder}/`)) return folder;
  if (tmpdir() !== '/tmp') return undefined;
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    const hasSpace = bavail * bsize >= neededBytes;
    const hasMemory = process.availableMemory() >= neededBytes + otherMemoryBytes;
    return hasSpace && hasMemory && isMemory(programs) ? folder : undefined;
  } catch {
    return undefined;
  }
}

function isMemory(programs: boolean): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const [, , type, options = ''] = mounts.findLast((line) => line.split(' ')[1] === folder)?.split(' ') ?? [];
  return type === 'tmpfs' && !(programs && options.split(',').includes('noexec'));
}
