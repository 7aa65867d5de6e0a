/** Storage: buckets and objects over HTTP, with rows in the schema `storage` and bytes in a backend. */
import { join } from 'node:path';
import type { Config } from '../config/index.ts';
import type { Database, MigrationSet } from '../database/types.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import type { Keys } from '../keys/types.ts';
import { createOutgoing } from '../shared/outgoing.ts';
import { createFileBackend } from './backend/file.ts';
import { createS3Backend } from './backend/s3.ts';
import type { ObjectBackend } from './backend/types.ts';
import { createEventSender } from './events/sender.ts';
import { createHousekeeping } from './housekeeping.ts';
import { createRenderer } from './render/index.ts';
import { createUploadLocks } from './resumable/locks.ts';
import { openSharedLocks } from './resumable/shared-locks.ts';
import { createStaging } from './resumable/staging.ts';
import { storageRoutes } from './routes/index.ts';
import { mountPrefix } from './scope.ts';
import { createTasks, type StorageService } from './service.ts';

export { detectContentType } from './core/sniff.ts';
export { storageErrors } from './errors.ts';

export interface StorageDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: Pick<Config, 'storage' | 'project_id' | 'plinth'>;
  /** The data folder (`.plinth`). Bytes are stored in its `storage/` subfolder. */
  readonly dataDir: string;
  readonly log: Logger;
  /** In production, webhooks over plain HTTP are rejected, even to this machine. */
  readonly mode: 'development' | 'production';
  readonly clock?: Clock;
}

export const migrations: MigrationSet = { room: 'storage', dir: new URL('./sql/', import.meta.url) };

/** The configuration check ensures that an S3 backend has a bucket. */
function createBackend({ config, dataDir }: StorageDeps): ObjectBackend {
  const root = join(dataDir, 'storage');
  const { backend, s3 } = config.plinth.storage;
  return backend === 'file'
    ? createFileBackend(root)
    : createS3Backend({ ...s3, bucket: s3.bucket ?? '' }, root);
}

export function createStorage(deps: StorageDeps): Service {
  const { database, log } = deps;
  const backend = createBackend(deps);
  const { webhook } = deps.config.plinth.storage;
  const clock = deps.clock ?? systemClock;
  const service: StorageService = {
    database,
    keys: deps.keys,
    backend,
    resumable: {
      staging: createStaging(join(deps.dataDir, 'storage', 'resumable')),
      locks: createUploadLocks((listener) => openSharedLocks(database, listener)),
    },
    renderer: deps.config.storage.image_transformation.enabled
      ? createRenderer(backend, join(deps.dataDir, 'storage', 'pictures'))
      : undefined,
    fileSizeLimitBytes: deps.config.storage.file_size_limit,
    multipartLifetimeMs: deps.config.plinth.storage.multipart_lifetime,
    clock,
    keepsChecksums: database.info.ownsSchemas,
    notesEvents: webhook.url !== undefined && database.info.ownsSchemas,
    log,
    tasks: createTasks(log),
    s3ProtocolEnabled: deps.config.storage.s3_protocol.enabled,
    projectRef: deps.config.project_id,
  };
  const housekeeping = createHousekeeping(service);
  const events =
    webhook.url === undefined || !database.info.ownsSchemas
      ? undefined
      : createEventSender({
          webhook: { url: webhook.url, apiKey: webhook.api_key || undefined },
          db: database.pool('supabase_admin'),
          outgoing: createOutgoing({ mode: deps.mode }),
          clock,
          log,
        });
  return {
    name: 'storage',
    mounts: [{ prefix: mountPrefix, plugin: storageRoutes(service), cors: 'open', apiKeys: true }],
    async start() {
      housekeeping.start();
      events?.start();
    },
    async stop() {
      housekeeping.stop();
      await events?.stop();
      await service.tasks.finish();
      await service.resumable.locks.close();
      await backend.close();
    },
  };
}
