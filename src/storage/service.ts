/** What every part of the storage service works with. */
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
  /** Undefined: pictures are not transformed. */
  readonly renderer: Renderer | undefined;
  /** The project's largest object; a bucket may allow less. */
  readonly fileSizeLimitBytes: number;
  /** A multipart upload of which no part has come for so long is given up. */
  readonly multipartLifetimeMs: number;
  /** There is a table for checksums of the S3 protocol. */
  readonly keepsChecksums: boolean;
  /** What happens to objects is written down for a webhook. */
  readonly notesEvents: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tasks: Tasks;
  readonly s3ProtocolEnabled: boolean;
  /** The project's reference, the access key of S3 requests with a session token. */
  readonly projectRef: string;
}

/** Work that goes on after its request was answered; `stop` waits for it. */
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
