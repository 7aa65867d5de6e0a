/**
 * Provides a data folder that initdb and the bootstrap have already prepared. The data folder is created once per
 * version of Plinth's SQL files, and every test cluster is a copy of this folder. The data folder is in memory or in
 * the system's temporary folder. The data folder gets its final name only once it is complete, so several processes can
 * create it concurrently.
 *
 * Finds a folder in memory for test clusters and temporary files. Tests create and delete hundreds of databases with a
 * thousand files each. If these files are on a disk, file system operations can use most of a test's CPU time.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageManifest, userCache } from '../../packages/index.ts';
import { connectDatabase } from '../database.ts';
import { findBinaries } from '../embedded/binaries.ts';
import { loginSecretFile } from '../embedded/login-secret.ts';

let parent: string | undefined;

/** Returns the folder that contains all test clusters. Each user has a separate folder. */
export function testRoot(): string {
  parent ??= memoryFolder() ?? tmpdir();
  const uid = process.getuid?.() ?? 0;
  const root = join(parent, `plinth-test-${uid}`);
  mkdirSync(root, { recursive: true });
  if (process.getuid !== undefined && lstatSync(root).uid !== uid)
    throw new Error(`${root} belongs to another user`);
  chmodSync(root, 0o711);
  return root;
}

/** Copies a cluster, including the secret for its logins, to `dataDir`. The default is a bootstrapped cluster. */
export async function copyTemplateFolder(dataDir: string, from?: string): Promise<void> {
  const template = from ?? (await templateFolder());
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  for (const name of ['postgres', loginSecretFile]) {
    const [source, target] = [join(template, name), join(dataDir, name)];
    if (process.platform === 'win32') cpSync(source, target, { recursive: true });
    else execFileSync('cp', ['-a', source, target]);
  }
}

async function templateFolder(): Promise<string> {
  const prepared = preparedFolder();
  if (prepared !== undefined) return prepared;
  const folder = join(testRoot(), `template-${contentHash()}`);
  if (existsSync(folder)) return folder;
  removeOldTemplates();
  const work = `${folder}.${process.pid}`;
  rmSync(work, { recursive: true, force: true });
  const database = await connectDatabase({ dataDir: work, durable: false });
  await database.stop();
  try {
    renameSync(work, folder);
  } catch (error) {
    rmSync(work, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/**
 * Returns the cluster that Plinth's npm package has prepared for new projects. Returns undefined if this code runs in a
 * clone of the repository.
 */
function preparedFolder(): string | undefined {
  const build = packageManifest()?.build;
  return build === undefined ? undefined : join(userCache(), 'prepared', build);
}

/**
 * Removes templates that are more than a week old. Removing a template doesn't affect other processes, because each
 * process copies a template immediately after finding it.
 */
function removeOldTemplates(): void {
  const weekMs = 7 * 24 * 3600 * 1000;
  for (const name of readdirSync(testRoot())) {
    const path = join(testRoot(), name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (name.startsWith('template-') && stat !== undefined && Date.now() - stat.mtimeMs > weekMs) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

/** Returns a hash of PostgreSQL's version and of all files that the bootstrap runs. */
function contentHash(): string {
  const hash = createHash('sha256').update(findBinaries().version);
  for (const folder of ['../sql/', '../extensions/', '../extension-amendments/', '../embedded/']) {
    const path = fileURLToPath(new URL(folder, import.meta.url));
    const entries = readdirSync(path, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    for (const file of files.sort()) hash.update(relative(path, file)).update(readFileSync(file));
  }
  hash.update(readFileSync(new URL('../logins.ts', import.meta.url)));
  return hash.digest('hex').slice(0, 16);
}

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
