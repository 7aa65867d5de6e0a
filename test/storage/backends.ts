/** Selects the backend of the storage tests: S3 for the tests in `over-s3/`, and the file backend for all others. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import S3rver from 's3rver';
import { afterAll } from 'vitest';
import type { PartialConfig } from '../../src/platform/config/index.ts';
import { createFileBackend } from '../../src/services/storage/backend/file.ts';
import { createS3Backend } from '../../src/services/storage/backend/s3.ts';
import type { ObjectBackend } from '../../src/services/storage/backend/types.ts';

export interface Stored {
  /** The versions of stored objects. */
  readonly objects: string[];
  /** The contents of the folders for unfinished work. */
  readonly partial: string[];
  /** Intents that aren't settled. */
  readonly intents: string[];
  /** Parts in the form `UPLOAD/PART`. */
  readonly parts: string[];
}

export interface TestBackend {
  readonly settings: PartialConfig;
  stored(dataDir: string): Promise<Stored>;
  /** Opens the backend again, as another process would. */
  open(dataDir: string): ObjectBackend;
  /** Whether unfinished bodies are visible. */
  readonly showsUnfinished: boolean;
  /** Whether resumable uploads are stored in the database and the bucket, instead of in the data folder. */
  readonly sharesUploads: boolean;
  stop(): Promise<void>;
}

/** Returns the unsettled intents. Empty files are kept for reuse and aren't intents. */
async function notes(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'storage', 'intents');
  const names = await readdir(folder);
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  return names.filter((_, index) => sizes[index] !== 0);
}

const startFiles = async (): Promise<TestBackend> => fileBackend;
let wanted: () => Promise<TestBackend> = startFiles;

export const startBackend = (): Promise<TestBackend> => wanted();

/**
 * Declares the tests of another file in the current file, and runs them on S3. Because of the query string, Node
 * evaluates the file even if this process has already run it on the file backend.
 */
export async function runOnS3(testFile: URL): Promise<void> {
  wanted = () => startS3();
  afterAll(() => {
    wanted = startFiles;
  });
  await import(`${testFile}?s3`);
}

const fileBackend: TestBackend = {
  settings: {},
  showsUnfinished: true,
  sharesUploads: false,
  open: (dataDir) => createFileBackend(join(dataDir, 'storage')),
  async stored(dataDir) {
    const list = (folder: string): Promise<string[]> => readdir(join(dataDir, 'storage', folder));
    const deep = async (folder: string): Promise<string[]> => {
      const names = await list(folder);
      const lists = await Promise.all(
        names.map(async (name) => {
          // The folder may have been removed since the parent folder was listed.
          const parts = await list(join(folder, name)).catch(() => []);
          return parts.map((part) => `${name}/${part}`);
        }),
      );
      return lists.flat();
    };
    return {
      objects: (await deep('objects')).map((path) => path.slice(3)),
      partial: await list('partial'),
      intents: await notes(dataDir),
      parts: await deep('uploads'),
    };
  },
  stop: async () => undefined,
};

/** Starts a third-party S3 server (s3rver) in this process. `cors` is the bucket's CORS configuration as XML. */
export async function startS3(cors?: string): Promise<TestBackend & { readonly client: S3Client }> {
  const directory = await mkdtemp(join(tmpdir(), 'plinth-s3rver-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'plinth', configs: cors === undefined ? [] : [cors] }],
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  const list = async (prefix: string): Promise<string[]> => {
    const { Contents } = await client.send(new ListObjectsV2Command({ Bucket: 'plinth', Prefix: prefix }));
    return (Contents ?? []).map(({ Key }) => (Key ?? '').slice(prefix.length));
  };
  const s3 = {
    bucket: 'plinth',
    endpoint,
    force_path_style: true,
    access_key_id: credentials.accessKeyId,
    secret_access_key: credentials.secretAccessKey,
    prefix: 'here/',
  };
  return {
    client,
    settings: { plinth: { storage: { backend: 's3', s3 } } },
    showsUnfinished: false,
    sharesUploads: true,
    open: (dataDir) => createS3Backend({ ...s3, region: 'us-east-1' }, join(dataDir, 'storage')),
    stored: async (dataDir) => ({
      objects: await list('here/objects/'),
      partial: [],
      intents: await notes(dataDir),
      parts: await list('here/uploads/'),
    }),
    async stop() {
      client.destroy();
      await server.close();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
