/** The dependencies that the whole storage service shares. */

import type { Clock } from '../../base/kernel/clock.ts';
import type { DiskState } from '../../base/kernel/disk.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { Database } from '../../platform/database/types.ts';
import type { Keys } from '../../platform/keys/types.ts';
import type { ObjectBackend } from './backend/types.ts';
import type { LookupSpeed } from './lookup.ts';
import type { Renderer } from './render/index.ts';
import type { UploadLocks } from './resumable/locks.ts';
import type { Staging } from './resumable/types.ts';

export interface StorageContext {
  readonly database: Database;
  /** The speed of lookups, which all have the same speed because they read the same tables. */
  readonly lookupSpeed: LookupSpeed;
  readonly keys: Keys;
  readonly backend: ObjectBackend;
  /** The disk that contains the data folder. */
  readonly disk: DiskState;
  readonly resumable: { readonly staging: Staging; readonly locks: UploadLocks };
  /** Transforms images. Undefined if image transformation is disabled. */
  readonly renderer: Renderer | undefined;
  /** The project's maximum object size. A bucket can have a lower limit. */
  readonly fileSizeLimitBytes: number;
  /** Downloads of more bytes are redirected to the S3 server. Undefined if downloads aren't redirected. */
  readonly redirectDownloadsOverBytes: number | undefined;
  /** A multipart upload is aborted if no new part arrives within this duration. */
  readonly multipartLifetimeMs: number;
  /** Whether the database has Plinth's own tables, which databases of the hosted service don't have. */
  readonly hasOwnTables: boolean;
  /** Whether object events are recorded because a webhook is configured. */
  readonly recordsEvents: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tasks: Tasks;
  readonly s3ProtocolEnabled: boolean;
  /** The project reference. S3 requests with a session token use the project reference as their access key. */
  readonly projectRef: string;
}

/** Runs work in the background after the response has been sent. `finish` waits until this work has ended. */
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
