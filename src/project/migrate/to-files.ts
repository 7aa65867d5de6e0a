/**
 * Writes a project to ordinary files: a dump for psql, the objects' bodies with a manifest, and the settings. Objects'
 * files are named by ID because names in the database can contain any characters.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { cp, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sql } from '../../base/kernel/sql.ts';
import { dumpDatabase, fileOutput } from '../../operations/dump/index.ts';
import { parseConnectionString } from '../../platform/database/index.ts';
import { objectPath } from './core/object-path.ts';
import { openSource } from './ends.ts';
import { MigrateError } from './errors.ts';
import { createStorageApi, digestOf, type StorageApi } from './objects/storage-api.ts';
import type { End, EndOptions } from './types.ts';
import { readSecrets } from './vault.ts';

export interface ToFilesOptions {
  readonly source: EndOptions;
  readonly folder: string;
  /** The path to the project's `supabase/` folder. */
  readonly supabaseDir: string;
  /** Whether to write the vault's secrets too, in plain text. */
  readonly withSecrets: boolean;
  readonly onProgress: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface FilesReport {
  readonly definitions: number;
  readonly tables: number;
  readonly rows: number;
  readonly objects: number;
  readonly objectBytes: number;
  readonly notes: readonly string[];
}

const marker = 'plinth-export.json';

/**
 * Writes the files and returns a report. Resumes an interrupted export, and doesn't download complete objects again.
 */
export async function exportToFiles(options: ToFilesOptions): Promise<FilesReport> {
  const { source, folder, onProgress, signal } = options;
  await prepareFolder(folder);
  const output = await fileOutput(join(folder, 'dump.sql'));
  const dumped = await dumpDatabase({
    target: {
      ...parseConnectionString(source.databaseUrl, { password: source.password }),
      applicationName: 'plinth',
    },
    output,
    content: 'all',
    restrictKey: randomBytes(32).toString('hex'),
    onProgress,
    signal,
  }).catch(async (error: unknown) => {
    await output.discard();
    throw error;
  });
  await output.finish();
  const end = await openSource(source);
  const notes: string[] = dumped.unsupported.map((object) => `Not supported: ${object}.`);
  try {
    const bodies = await writeObjects(end, options, notes);
    await writeVault(end, options, notes);
    await writeSettings(options);
    await writeFile(join(folder, 'README.md'), readme);
    return {
      definitions: dumped.objects,
      tables: dumped.tables,
      rows: dumped.rows,
      ...bodies,
      notes,
    };
  } finally {
    end.session.destroy();
  }
}

/** Creates the folder. @throws {MigrateError} folder_not_empty */
async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const isExport = existsSync(join(folder, marker));
  if (!isExport && (await readdir(folder)).length > 0) throw new MigrateError('folder_not_empty', { folder });
  await writeFile(join(folder, marker), `${JSON.stringify({ format: 1 })}\n`);
}

interface ObjectRow {
  readonly id: string;
  readonly bucket: string;
  readonly name: string;
  readonly row: unknown;
  readonly size: string | null;
}

const rowsPerQuery = 500;
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

async function* objectRows({ session }: End): AsyncGenerator<ObjectRow> {
  for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
    const rows = await session.query<ObjectRow>(sql`
      select id::text, bucket_id as bucket, name, to_jsonb(o) as row, metadata ->> 'size' as size
      from storage.objects o where id > ${last}::uuid order by id limit ${rowsPerQuery}::int`);
    yield* rows;
    if (rows.length < rowsPerQuery) return;
    last = rows.at(-1)?.id as string;
  }
}

async function writeObjects(
  end: End,
  { folder, onProgress, signal }: ToFilesOptions,
  notes: string[],
): Promise<{ objects: number; objectBytes: number }> {
  if (end.storage === undefined) {
    notes.push("Objects: not included, because Plinth isn't running.");
    return { objects: 0, objectBytes: 0 };
  }
  const api = createStorageApi(end.name, end.storage);
  const manifestPath = join(folder, 'objects', 'manifest.jsonl');
  await mkdir(join(folder, 'objects'), { recursive: true });
  const manifest = await open(`${manifestPath}.partial`, 'w', 0o600);
  let objects = 0;
  let objectBytes = 0;
  try {
    for await (const object of objectRows(end)) {
      signal?.throwIfAborted();
      const label = `${object.bucket}/${object.name}`;
      if (!uuidPattern.test(object.id) || objectPath(object.bucket, object.name) === undefined) {
        notes.push(`Object ${label}: its name can't be part of a URL.`);
        continue;
      }
      const file = `objects/${object.id.slice(0, 2)}/${object.id}`;
      const body = await writeBody(api, object, join(folder, file), signal);
      if (body === undefined) {
        notes.push(`Object ${label}: it has a row, but no body.`);
        continue;
      }
      await manifest.write(`${JSON.stringify({ file, sha256: body.sha256, ...(object.row as object) })}\n`);
      objects += 1;
      objectBytes += body.sizeBytes;
      if (objects % 500 === 0) onProgress(`Objects: ${objects}`);
    }
    await manifest.sync();
  } finally {
    await manifest.close();
  }
  await rename(`${manifestPath}.partial`, manifestPath);
  return { objects, objectBytes };
}

/** Downloads one version of an object's body to a file. Returns undefined if the body doesn't exist. */
async function writeBody(
  api: StorageApi,
  { bucket, name, row, size }: ObjectRow,
  path: string,
  signal: AbortSignal | undefined,
): Promise<{ sha256: string; sizeBytes: number } | undefined> {
  const { metadata } = row as { metadata?: { eTag?: string } };
  const expected = /^"?([0-9a-f]{32})"?$/.exec(metadata?.eTag ?? '')?.[1];
  const existing = await stat(path).catch(() => undefined);
  if (expected !== undefined && existing?.isFile() === true && String(existing.size) === size) {
    const { md5, ...kept } = await hashesOf(path);
    if (md5 === expected) return kept;
  }
  const download = await api.download(bucket, name, signal);
  if (download === undefined) return undefined;
  await mkdir(join(path, '..'), { recursive: true });
  await rm(`${path}.partial`, { force: true });
  await pipeline(Readable.from(download.bytes), createWriteStream(`${path}.partial`, { mode: 0o600 }));
  await rename(`${path}.partial`, path);
  const { md5: _, ...written } = await hashesOf(path);
  return written;
}

async function hashesOf(path: string): Promise<{ sha256: string; sizeBytes: number; md5: string }> {
  const md5 = createHash('md5');
  const file = await open(path);
  async function* read(): AsyncGenerator<Uint8Array> {
    for await (const chunk of file.createReadStream()) {
      md5.update(chunk);
      yield chunk;
    }
  }
  const digest = await digestOf(read());
  return { ...digest, md5: md5.digest('hex') };
}

async function writeVault(end: End, { folder, withSecrets }: ToFilesOptions, notes: string[]): Promise<void> {
  const secrets = (await readSecrets(end.session)) ?? [];
  if (secrets.length === 0) return;
  if (withSecrets)
    await writeFile(join(folder, 'vault.json'), JSON.stringify(secrets, null, 2), { mode: 0o600 });
  else
    notes.push(`Vault: ${secrets.length} secrets aren't included. --with-secrets writes them in plain text.`);
}

async function writeSettings({ folder, supabaseDir, withSecrets }: ToFilesOptions): Promise<void> {
  for (const name of ['config.toml', 'plinth.toml', 'migrations', 'functions', 'templates', 'seed.sql']) {
    const from = join(supabaseDir, name);
    if (!existsSync(from)) continue;
    await cp(from, join(folder, 'supabase', name), {
      recursive: true,
      filter: (path) => !path.includes('node_modules') && (withSecrets || !/(^|\/)\.env[^/]*$/.test(path)),
    });
  }
}

const readme = `# An exported project

- \`dump.sql\`: roles, schemas, rows of the project, of auth and of storage, and cron jobs. Run it with
  \`psql --single-transaction --file dump.sql DATABASE\` in a Plinth or Supabase database, or read the tables that you
  need from it.
- \`objects/manifest.jsonl\`: one line per object with its row, its SHA-256 and its file below \`objects/\`.
- \`supabase/\`: settings, migrations and functions.
- \`vault.json\`: the vault's secrets, if they were requested.
`;
