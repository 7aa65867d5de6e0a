/**
 * Provides WAL to a recovering PostgreSQL server. The server's `restore_command` creates a request file in a folder and
 * waits for the WAL file. Only this process needs access to the backup target and the key, so PostgreSQL can run as a
 * user who can't read them.
 *
 * Code in the restored project may control PostgreSQL's user, so this user can write only to the request folder, in
 * which this process reads only the file names. This process owns all other folders, so a symbolic link can't redirect
 * its writes.
 */
import {
  chownSync,
  closeSync,
  constants,
  fchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface WalRequests {
  /** The value of `restore_command`. */
  readonly command: string;
  /** The error that prevented this process from serving a request. */
  readonly error: () => Error | undefined;
  stop(): Promise<void>;
}

/**
 * Returns the content of the archived file that PostgreSQL knows by this name, or undefined if the archive doesn't
 * contain the file.
 */
export type FindArchived = (name: string) => Promise<Buffer | undefined>;

const folder = 'restore-wal';
const pollMs = 5;

/**
 * Requests a file and waits until it is available. Exits with status 200, which aborts the recovery, after ten minutes
 * or if the process that restores the backup reports an error. PostgreSQL would interpret any status up to 125 as the
 * end of the archive. The script's working directory is PostgreSQL's data folder. The request's file name contains the
 * shell's process ID, because PostgreSQL can request the same file again.
 */
const script = `data=$(pwd -P)
cd ../${folder} || exit 200
request="$1.$$"
asked=
n=0
while [ $n -lt 60000 ]; do
  if [ -z "$asked" ] && (: > "want/$request") 2>/dev/null; then asked=1; fi
  if [ -f "have/$request" ]; then cp "have/$request" "$data/$2" || exit 200; exit 0; fi
  if [ -f "none/$request" ]; then exit 1; fi
  if [ -f failed ]; then exit 200; fi
  n=$((n+1))
  sleep 0.01
done
exit 200
`;

/**
 * Starts serving requests. `dataDir` belongs to this process and contains PostgreSQL's data folder, which may belong to
 * another user.
 */
export function serveWal(dataDir: string, find: FindArchived): WalRequests {
  const root = join(dataDir, folder);
  const paths = { want: join(root, 'want'), have: join(root, 'have'), none: join(root, 'none') };
  const draft = join(root, 'draft');
  for (const path of [root, paths.have, paths.none]) mkdirSync(path, { mode: 0o711 });
  mkdirSync(paths.want, { mode: 0o700 });
  writeFileSync(join(root, 'fetch.sh'), script, { mode: 0o644, flag: 'wx' });
  const isRoot = process.getuid?.() === 0;
  let failure: Error | undefined;
  let isReported = false;
  let isStopped = false;
  let owner = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

  /** Makes PostgreSQL's user the owner of the request folder. This user is known only when PostgreSQL starts. */
  function followOwner(): void {
    if (!isRoot) return;
    const { uid, gid } = statSync(join(dataDir, 'postgres'));
    if (uid === owner.uid && gid === owner.gid) return;
    owner = { uid, gid };
    chownSync(paths.want, uid, gid);
  }
  function give(path: string, content: Buffer): void {
    const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_WRONLY } = constants;
    const handle = openSync(draft, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
    try {
      writeFileSync(handle, content);
      if (isRoot) fchownSync(handle, owner.uid, owner.gid);
    } finally {
      closeSync(handle);
    }
    renameSync(draft, path);
  }
  async function serveRequest(request: string): Promise<void> {
    // PostgreSQL requests one file at a time, so files from earlier requests are no longer needed.
    for (const path of [paths.have, paths.none])
      for (const name of readdirSync(path)) unlinkSync(join(path, name));
    const content = await find(request.replace(/\.[0-9]+$/, ''));
    if (content === undefined) give(join(paths.none, request), Buffer.alloc(0));
    else give(join(paths.have, request), content);
  }
  function report(): void {
    try {
      give(join(root, 'failed'), Buffer.alloc(0));
      isReported = true;
    } catch {
      // This error is ignored because the next pass of the loop retries. In any case, PostgreSQL waits at most ten
      // minutes.
    }
  }
  async function run(): Promise<void> {
    while (!isStopped) {
      try {
        followOwner();
        for (const request of readdirSync(paths.want)) {
          unlinkSync(join(paths.want, request));
          await serveRequest(request);
        }
      } catch (error) {
        failure ??= error as Error;
      }
      if (failure !== undefined && !isReported) report();
      await sleep(pollMs);
    }
  }
  const running = run();
  return {
    command: `/bin/sh ../${folder}/fetch.sh "%f" "%p"`,
    error: () => failure,
    async stop() {
      isStopped = true;
      await running;
      // First revokes the access of PostgreSQL's user, so that this user can't change the folder while it is being
      // removed.
      if (isRoot) chownSync(paths.want, 0, 0);
      for (const request of readdirSync(paths.want)) unlinkSync(join(paths.want, request));
      rmdirSync(paths.want);
      rmSync(root, { recursive: true, force: true });
    },
  };
}
