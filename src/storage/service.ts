/** Dependencies shared across the storage service. */
import type { Database } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Keys } from '../keys/types.ts';
import type { ObjectBackend } from './backend/types.ts';
import type { Renderer } from './render/index.ts';
import type { UploadLocks } from './resumable/locks.ts';
import type { Staging } from './resumable/staging.ts';

export interface StorageService {
  readonly database: Database;
  readonly keys: Keys;
  readonly backend: ObjectBackend;
  readonly resumable: { readonly staging: Staging; readonly locks: UploadLocks };
  /** Undefined if image transformation is disabled. */
  readonly renderer: Renderer | undefined;
  /** The project's maximum object size. A bucket can have a lower limit. */
  readonly fileSizeLimitBytes: number;
  /** Multipart uploads that receive no new part for this long are aborted. */
  readonly multipartLifetimeMs: number;
  /** Whether the table for S3 checksums exists. */
  readonly keepsChecksums: boolean;
  /** Whether object events are recorded for a webhook. */
  readonly notesEvents: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tasks: Tasks;
  readonly s3ProtocolEnabled: boolean;
  /** The project reference, which is the access key of S3 requests with a session token. */
  readonly projectRef: string;
}

/** Background work that continues after its response. `stop` waits for it. */
export interface Tasks {
  run(name: string, work: () => Promise<void>): Promise<void>;
  finish(): Promise<void>;
}

export function createTasks(log: Logger): Tasks {
  const running = new Set<Promise<void>>();
  return {
    run(name, work) {
      const task = work()
        .catch((error: unknown) => log.error({ task: name, error }, 'storage: background work failed'))
        .finally(() => running.delete(task));
      running.add(task);
      return task;
    },
    async finish() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
