/**
 * The storage service, which provides buckets and objects over HTTP. Rows are stored in the schema `storage`, and bytes
 * are stored in a backend.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../base/kernel/clock.ts';
import { type DiskState, spaciousDisk } from '../../base/kernel/disk.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { Health, OverloadBody, Service } from '../../base/kernel/service.ts';
import { cached, tableCheckMs } from '../../base/shared/cached.ts';
import { createOutgoing } from '../../base/shared/network/outgoing.ts';
import type { BodyJournal, BodyStore } from '../../operations/backup/types.ts';
import type { Config, LiveConfig } from '../../platform/config/index.ts';
import type { Database, MigrationSet } from '../../platform/database/types.ts';
import type { Keys } from '../../platform/keys/types.ts';
import { createFileBackend } from './backend/file.ts';
import { createS3Backend } from './backend/s3.ts';
import type { ObjectBackend } from './backend/types.ts';
import { bodyStore, journaled, readOnly } from './backend/wrapped.ts';
import { createTasks, type StorageContext } from './context.ts';
import { BackendUnavailableError, renderStorageError, StorageError } from './errors.ts';
import { createEventSender } from './events/sender.ts';
import { createHousekeeping } from './housekeeping.ts';
import { LookupSpeed } from './lookup.ts';
import { hasBuckets } from './queries/buckets.ts';
import { createRenderer } from './render/index.ts';
import { createBucketStaging } from './resumable/bucket-staging.ts';
import { createFileStaging } from './resumable/file-staging.ts';
import { createUploadLocks } from './resumable/locks.ts';
import { openSharedLocks } from './resumable/shared-locks.ts';
import { storageRoutes } from './routes/index.ts';
import { renderS3Error } from './s3/errors.ts';
import { mountPrefix, serverContext } from './scope.ts';

export { detectContentType } from './core/sniff.ts';
export { storageErrors } from './errors.ts';

interface StorageDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: LiveConfig;
  /** The data folder (`.plinth`). Bytes are stored in the subfolder `storage/` of the data folder. */
  readonly dataDir: string;
  readonly log: Logger;
  /** The mode. In production, webhooks over plain HTTP are rejected, even to this machine. */
  readonly mode: 'development' | 'production';
  readonly clock?: Clock;
  /** The disk that contains the data folder. */
  readonly disk?: DiskState;
  /** Records which object bodies are stored and removed, for backups. */
  readonly journal?: BodyJournal | undefined;
  /** Whether the objects belong to another server and can therefore only be read. */
  readonly isReadOnly?: boolean;
}

/** The storage service. `bodies` gives backups access to the object bodies. */
export interface StorageService extends Service {
  readonly bodies: BodyStore;
}

export const migrations: MigrationSet = { module: 'storage', dir: new URL('./sql/', import.meta.url) };

/** Creates the configured backend. The configuration check has ensured that an S3 backend has a bucket. */
function createBackend({
  config,
  dataDir,
  disk,
}: Pick<StorageDeps, 'dataDir' | 'disk'> & { readonly config: Pick<Config, 'plinth'> }): ObjectBackend {
  const root = join(dataDir, 'storage');
  const { backend, s3 } = config.plinth.storage;
  return backend === 'file'
    ? createFileBackend(root, undefined, disk)
    : createS3Backend({ ...s3, bucket: s3.bucket ?? '' }, root);
}

/** Returns a check that throws if rows or bytes can't be read. */
function createCheck({ database, backend, log }: StorageContext): () => Promise<Health | undefined> {
  const checkTables = cached(tableCheckMs, () =>
    database.asRequest(serverContext(), hasBuckets, { readOnly: true }),
  );
  return async () => {
    try {
      // No object has this version, but the backend must be reachable to determine that.
      await Promise.all([checkTables(), backend.open(randomUUID())]);
    } catch (error) {
      if (!(error instanceof BackendUnavailableError)) throw error;
      log.warn({ error }, "storage: the object storage can't be reached");
      return {
        status: 'failing',
        message: "The object storage (S3) can't be reached. For the reason, see the log.",
      };
    }
    return undefined;
  };
}

/** Opens the object bodies in a data folder whose server isn't running. The caller must close the store. */
export function openBodyStore(
  deps: Pick<StorageDeps, 'dataDir'> & { readonly config: Pick<Config, 'plinth'> },
): BodyStore & { close(): Promise<void> } {
  const backend = createBackend(deps);
  return { ...bodyStore(backend), close: () => backend.close() };
}

export function createStorage(deps: StorageDeps): StorageService {
  const { database, log } = deps;
  // Settings that need a restart are read once.
  const { current: atStart } = deps.config;
  const store = createBackend({ ...deps, config: atStart });
  const plain = deps.isReadOnly === true ? readOnly(store) : store;
  const backend = deps.journal === undefined ? plain : journaled(plain, deps.journal);
  const { webhook } = atStart.plinth.storage;
  const clock = deps.clock ?? systemClock;
  const uploadDir = join(deps.dataDir, 'storage', 'resumable');
  const multipart = database.info.ownsSchemas ? backend.multipart : undefined;
  const ctx: StorageContext = {
    database,
    lookupSpeed: new LookupSpeed(),
    keys: deps.keys,
    backend,
    disk: deps.disk ?? spaciousDisk,
    resumable: {
      staging:
        multipart === undefined
          ? createFileStaging(uploadDir, backend, deps.disk)
          : createBucketStaging(backend, multipart, { database, clock }),
      locks: createUploadLocks((listener) => openSharedLocks(database, listener)),
    },
    renderer: atStart.storage.image_transformation.enabled
      ? createRenderer(backend, join(deps.dataDir, 'storage', 'pictures'), log)
      : undefined,
    get fileSizeLimitBytes() {
      return deps.config.current.storage.file_size_limit;
    },
    get redirectDownloadsOverBytes() {
      return deps.config.current.plinth.storage.redirect_downloads_over;
    },
    get multipartLifetimeMs() {
      return deps.config.current.plinth.storage.multipart_lifetime;
    },
    clock,
    hasOwnTables: database.info.ownsSchemas,
    recordsEvents: webhook.url !== undefined && database.info.ownsSchemas,
    log,
    tasks: createTasks(log),
    s3ProtocolEnabled: atStart.storage.s3_protocol.enabled,
    projectRef: atStart.project_id,
  };
  const housekeeping = createHousekeeping(ctx);
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
    bodies: bodyStore(plain),
    mounts: [
      {
        prefix: mountPrefix,
        plugin: storageRoutes(ctx),
        cors: 'open',
        apiKeys: true,
        overloaded: overloadBodies(),
      },
    ],
    async start() {
      housekeeping.start();
      // Versions before 0.3 kept the bytes of these uploads in the data folder.
      if (multipart)
        void ctx.tasks.run('remove old uploads', () => rm(uploadDir, { recursive: true, force: true }));
      events?.start();
    },
    check: createCheck(ctx),
    async stop() {
      housekeeping.stop();
      await events?.stop();
      await ctx.tasks.finish();
      await ctx.resumable.locks.close();
      await backend.close();
    },
  };
}

/** Returns the responses to requests that are rejected because the server is overloaded, per protocol. */
function overloadBodies(): readonly OverloadBody[] {
  const error = new StorageError('Overloaded');
  return [
    {
      below: '/storage/v1/s3',
      type: 'application/xml; charset=utf-8',
      text: renderS3Error(error, '', '').xml,
    },
    { below: '/storage/v1/upload/resumable', type: 'text/plain; charset=utf-8', text: error.message },
    { type: 'application/json; charset=utf-8', text: JSON.stringify(renderStorageError(error).body) },
  ];
}
