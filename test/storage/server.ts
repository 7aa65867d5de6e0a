/** Starts a storage service on a free port, with a separate gateway, separate keys and a new database. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StorageClient } from '@supabase/storage-js';
import { sql } from '../../src/base/kernel/sql.ts';
import type { PartialConfig } from '../../src/platform/config/index.ts';
import { createTestDatabase } from '../../src/platform/database/testing.ts';
import type { Database } from '../../src/platform/database/types.ts';
import type { Claims, Keys } from '../../src/platform/keys/index.ts';
import { migrations } from '../../src/services/storage/index.ts';
import { type Stored, startBackend, type TestBackend } from './backends.ts';
import type { ProcessOptions } from './fixtures/process.ts';
import { serveStorage } from './serve.ts';

export interface StorageServer {
  readonly url: string;
  readonly database: Database;
  readonly keys: Keys;
  readonly dataDir: string;
  /** The folder and the database, as other processes receive them. */
  readonly place: ProcessOptions;
  /** Returns a client with the service key, or with a token with these claims. */
  client(claims?: Claims): StorageClient;
  /** Returns a token with these claims, or the service key if `claims` is omitted. */
  tokenOf(claims?: Claims): string;
  /** Sends a request with a token with these claims. If the claims are null, no token is sent. */
  request(path: string, init?: RequestInit & { claims?: Claims | null }): Promise<Response>;
  files(): Promise<Stored>;
  readonly backend: Pick<TestBackend, 'open' | 'showsUnfinished' | 'sharesUploads'>;
  stop(): Promise<void>;
}

export const alice = { sub: '317eadce-631a-4429-a0bb-f19a7a517b4a', role: 'authenticated' };
export const bob = { sub: '4d56e902-f0a0-4662-8448-a4d9e643c142', role: 'authenticated' };

const policies = `
  insert into storage.buckets (id, name, public) values
    ('open', 'open', true), ('private', 'private', false), ('operations', 'operations', false);
  create policy own_folder on storage.objects for all to authenticated
    using (bucket_id = 'private' and (storage.foldername(name))[1] = auth.uid()::text)
    with check (bucket_id = 'private' and (storage.foldername(name))[1] = auth.uid()::text);
  create policy upload_only on storage.objects for insert to authenticated
    with check (bucket_id = 'operations' and storage.allow_only_operation('object.upload'));
  create policy see_what_is_own on storage.objects for select to authenticated
    using (bucket_id = 'operations' and owner_id = auth.uid()::text);
`;

/** Starts a storage service. `parentDir` is the parent of the data folder. */
export async function startStorage(
  settings: PartialConfig = {},
  parentDir = tmpdir(),
): Promise<StorageServer> {
  const dataDir = await mkdtemp(join(parentDir, 'plinth-storage-'));
  const backend = await startBackend();
  const { database, name, place, drop } = await createTestDatabase('storage', async (template) => {
    await template.migrate([migrations]);
    await template.pool('postgres').exec(policies);
  });
  const served = await serveStorage(database, { ...backend.settings, ...settings }, dataDir);
  const { url, keys } = served;
  const expiresAt = Math.floor(Date.now() / 1000) + 3600;
  const tokenOf = (claims: Claims | undefined): string =>
    claims ? keys.signWithSecret({ exp: expiresAt, ...claims }) : keys.serviceRoleKey;

  return {
    url,
    database,
    keys,
    dataDir,
    place: { place, database: name, dataDir },
    tokenOf,
    client: (claims) => new StorageClient(url, { Authorization: `Bearer ${tokenOf(claims)}` }),
    request(path, init = {}) {
      const headers = new Headers(init.headers);
      if (init.claims !== null) headers.set('authorization', `Bearer ${tokenOf(init.claims)}`);
      return fetch(`${url}${path}`, { ...init, headers });
    },
    files: () => backend.stored(dataDir),
    backend,
    async stop() {
      await served.close();
      await drop();
      await backend.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Whether a process has locked a resumable upload. */
export async function isUploadLocked({ database }: Pick<StorageServer, 'database'>): Promise<boolean> {
  const rows = await database.pool('supabase_admin').query(sql`
    select 1 from pg_locks l join pg_database d on d.oid = l.database
    where l.locktype = 'advisory' and d.datname = current_database()`);
  return rows.length > 0;
}

/** Waits until background work has finished. */
export async function eventually(check: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (await check()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('It did not happen in time');
}
