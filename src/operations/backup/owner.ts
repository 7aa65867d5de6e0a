/**
 * Determines which server may write to a backup target. Each data folder has an identity, and a restored copy gets a
 * new identity. The backup target contains the identity of the data folder that owns the target. A server with another
 * identity is rejected unless an operator has promoted this server. The owner renews its entry regularly, which makes
 * it possible to detect two servers with copies of the same data folder.
 */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { replaceFile } from '../../base/kernel/replace-file.ts';
import { takeOverRequest } from '../../base/shared/restore-markers.ts';
import { isAlive } from '../../base/shared/run-folder.ts';
import { ownerName } from './core/names.ts';
import { BackupError } from './errors.ts';
import type { Repository } from './repository.ts';

/** The interval at which the owner checks that the entry still belongs to it, and renews the entry. */
export const renewEveryMs = 10_000;
/**
 * If the entry doesn't change during this time, the owner is considered to have exited. This check doesn't depend on
 * the clocks of the two machines.
 */
const observeMs = 2.5 * renewEveryMs;

interface OwnerEntry {
  /** The identity of the server's data folder. */
  readonly id: string;
  /** Identifies the process. */
  readonly instance: string;
  readonly host: string;
  readonly pid: number;
  readonly renewedAtMs: number;
  /** Whether the process has finished its work with the target. */
  readonly isReleased: boolean;
}

export interface Ownership {
  /** The data folder's identity. */
  readonly id: string;
  /** Renews the entry. @throws {BackupError} target_in_use if another server has become the owner */
  renew(): Promise<void>;
  release(): Promise<void>;
}

export interface ClaimOptions {
  readonly repository: Pick<Repository, 'label' | 'readBytes' | 'writeBytes'>;
  readonly dataDir: string;
  readonly now: () => number;
  /** Set only in tests. */
  readonly observeMs?: number;
}

/** Makes this server the owner of the target. @throws {BackupError} target_in_use */
export async function claimTarget(options: ClaimOptions): Promise<Ownership> {
  const { repository, dataDir, now } = options;
  const id = identityOf(dataDir);
  const instance = randomUUID();
  const request = join(dataDir, takeOverRequest);
  const found = await readOwner(repository);
  if (found !== undefined && !existsSync(request)) {
    if (found.id !== id || (await isInUse(options, found))) throw inUse(found);
  }
  const write = (isReleased: boolean): Promise<void> => {
    const entry: OwnerEntry = {
      id,
      instance,
      host: hostname(),
      pid: process.pid,
      renewedAtMs: now(),
      isReleased,
    };
    return repository.writeBytes(ownerName, Buffer.from(JSON.stringify(entry)));
  };
  const verify = async (): Promise<void> => {
    const current = await readOwner(repository);
    if (current !== undefined && current.instance !== instance) throw inUse(current);
  };
  await write(false);
  await verify();
  rmSync(request, { force: true });
  return {
    id,
    async renew() {
      await verify();
      await write(false);
    },
    async release() {
      await verify();
      await write(true);
    },
  };
}

const inUse = ({ host, renewedAtMs }: OwnerEntry): BackupError =>
  new BackupError(
    'target_in_use',
    `It was last used by ${host} at ${new Date(renewedAtMs).toISOString()}. If this server replaces that one, run "plinth promote" and restart it.`,
  );

/** Whether a running process with a copy of this data folder owns the target. */
async function isInUse(
  { repository, observeMs: waitMs = observeMs }: ClaimOptions,
  found: OwnerEntry,
): Promise<boolean> {
  if (found.isReleased) return false;
  // If the owner ran on this machine, the data folder's lock already prevents two processes from running.
  if (found.host === hostname() && (found.pid === process.pid || !isAlive(found.pid))) return false;
  const deadline = performance.now() + waitMs;
  while (performance.now() < deadline) {
    await sleep(Math.min(1000, waitMs / 5));
    const current = await readOwner(repository);
    if (current === undefined || current.isReleased) return false;
    if (current.instance !== found.instance || current.renewedAtMs !== found.renewedAtMs) return true;
  }
  return false;
}

async function readOwner(repository: Pick<Repository, 'readBytes'>): Promise<OwnerEntry | undefined> {
  const bytes = await repository.readBytes(ownerName);
  return bytes && (JSON.parse(bytes.toString('utf8')) as OwnerEntry);
}

/**
 * Returns the data folder's identity. Backups don't contain the identity, so a restored copy gets a different identity.
 */
function identityOf(dataDir: string): string {
  const path = join(dataDir, 'backup', 'identity');
  if (existsSync(path)) return readFileSync(path, 'utf8');
  mkdirSync(join(dataDir, 'backup'), { recursive: true, mode: 0o700 });
  const id = randomUUID();
  replaceFile(path, id);
  return id;
}
