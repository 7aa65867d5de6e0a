/**
 * Kills the server with kill -9 during various changes to objects. Then checks that acknowledged changes are complete,
 * that rejected changes have no effect, and that pending changes are either complete or absent. After that, the
 * versions on disk must match the rows. The test in this folder and bench/storage-kills.ts use this module.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import pg from 'pg';

const plinth = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));
const workers = 4;
const tusChunkBytes = 64 * 1024;
const maxFirstChangeMs = 20_000;
/** The maximum time until unfinished work of an earlier run is completed. */
const maxRecoveryMs = 60_000;

export interface Tally {
  kills: number;
  acknowledged: number;
  refused: number;
  /** The number of changes that were pending when the server was killed. */
  open: number;
  resumed: number;
  verified: number;
}

interface Ready {
  readonly API_URL: string;
  readonly DB_URL: string;
  readonly SERVICE_ROLE_KEY: string;
  readonly ANON_KEY: string;
  readonly S3_PROTOCOL_ACCESS_KEY_ID: string;
  readonly S3_PROTOCOL_ACCESS_KEY_SECRET: string;
  readonly S3_PROTOCOL_REGION: string;
}

/** The SHA-256 hash of an object's body. Null if the object doesn't exist. */
type Content = string | null;

interface StagedUpload {
  readonly url: string;
  readonly key: string;
  readonly body: Buffer;
  acknowledgedBytes: number;
}

export async function killStorage(
  rounds: number,
  onRound: (tally: Tally) => void = () => undefined,
): Promise<Tally> {
  const projectDir = mkdtempSync(join(tmpdir(), 'plinth-storage-kills-'));
  mkdirSync(join(projectDir, 'supabase'), { recursive: true });
  writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "kills"\n');
  const tally: Tally = { kills: 0, acknowledged: 0, refused: 0, open: 0, resumed: 0, verified: 0 };
  /** The possible contents of each object, by key: several if the outcome of a change is unknown, and otherwise one. */
  const known = new Map<string, readonly Content[]>();
  let staged: StagedUpload[] = [];
  let server: ChildProcess | undefined;
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const started = await start(projectDir);
      server = started.child;
      const { ready } = started;
      if (round === 0) await prepare(ready);
      else {
        await resume(ready, staged, known, tally);
        await verify(ready, known, tally);
      }
      staged = [];
      if (round === rounds || round % 20 === 19) await requireEqual(projectDir, ready);
      if (round === rounds) break;
      const stop = new AbortController();
      const before = tally.acknowledged;
      const running = Array.from({ length: workers }, (_, n) =>
        work(ready, `w${n}`, known, staged, tally, stop.signal),
      );
      // A busy machine may not complete any change in the time after which the server is killed.
      const until = performance.now() + maxFirstChangeMs;
      while (tally.acknowledged === before && performance.now() < until) await sleep(5);
      await sleep(Math.random() * 700);
      await kill(server, projectDir, round % 2 === 0);
      stop.abort();
      await Promise.all(running);
      tally.kills += 1;
      onRound(tally);
    }
    return tally;
  } finally {
    if (server) await kill(server, projectDir, true);
    rmSync(projectDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function prepare(ready: Ready): Promise<void> {
  for (const [id, limit] of [
    ['kills', null],
    ['small', 10],
  ] as const) {
    const made = await call(
      ready,
      'POST',
      '/bucket',
      JSON.stringify({ name: id, id, file_size_limit: limit }),
      {
        'content-type': 'application/json',
      },
    );
    if (!made.ok) throw new Error(await made.text());
  }
}

/** Makes changes one by one until the server stops responding. */
async function work(
  ready: Ready,
  own: string,
  known: Map<string, readonly Content[]>,
  staged: StagedUpload[],
  tally: Tally,
  stop: AbortSignal,
): Promise<void> {
  const s3 = new S3Client({
    endpoint: `${ready.API_URL}/storage/v1/s3`,
    region: ready.S3_PROTOCOL_REGION,
    forcePathStyle: true,
    maxAttempts: 1,
    credentials: {
      accessKeyId: ready.S3_PROTOCOL_ACCESS_KEY_ID,
      secretAccessKey: ready.S3_PROTOCOL_ACCESS_KEY_SECRET,
    },
  });
  const there = (): string | undefined => {
    const mine = [...known].filter(
      ([key, may]) => key.startsWith(own) && may.length === 1 && may[0] !== null,
    );
    return mine[Math.floor(Math.random() * mine.length)]?.[0];
  };
  const fresh = (): string => `${own}/${randomUUID()}`;
  const may = (key: string): readonly Content[] => known.get(key) ?? [null];
  /** Records a pending change, makes the change, and records the outcome. */
  const change = async (
    after: Record<string, Content>,
    act: () => Promise<'done' | 'refused'>,
  ): Promise<void> => {
    const before = Object.keys(after).map((key) => [key, may(key)] as const);
    for (const [key, was] of before) known.set(key, [...was, after[key] ?? null]);
    try {
      const end = await act();
      for (const [key, was] of before) known.set(key, end === 'done' ? [after[key] ?? null] : was);
      tally[end === 'done' ? 'acknowledged' : 'refused'] += 1;
    } catch {
      tally.open += 1;
    }
  };
  const ask = async (
    method: string,
    path: string,
    body?: BodyInit | Buffer,
    headers = {},
  ): Promise<'done' | 'refused'> => {
    const response = await call(ready, method, path, body, headers);
    const text = await response.text();
    // A server that is being killed may still report that its database is unavailable. After such an error, the outcome
    // of the change is unknown.
    if (response.status >= 500 || /"statusCode":"5/.test(text)) throw new Error(text);
    return response.ok ? 'done' : 'refused';
  };
  const json = { 'content-type': 'application/json' };

  const kinds: (() => Promise<void>)[] = [
    () => {
      const [key, body] = [fresh(), bytes()];
      return change({ [key]: hash(body) }, () => ask('POST', `/object/kills/${key}`, body));
    },
    () => {
      const [key, body] = [there() ?? fresh(), bytes()];
      return change({ [key]: hash(body) }, () =>
        ask('POST', `/object/kills/${key}`, body, { 'x-upsert': 'true' }),
      );
    },
    async () => {
      // This change is rejected because the key exists.
      const key = there();
      if (key)
        await change({ [key]: hash(Buffer.from('never')) }, () =>
          ask('POST', `/object/kills/${key}`, 'never'),
        );
    },
    async () => {
      const [from, to] = [there(), fresh()];
      const content = from && may(from)[0];
      if (!from || !content) return;
      const body = JSON.stringify({ bucketId: 'kills', sourceKey: from, destinationKey: to });
      await change({ [to]: content }, () => ask('POST', '/object/copy', body, json));
    },
    async () => {
      const [from, to] = [there(), fresh()];
      const content = from && may(from)[0];
      if (!from || !content) return;
      const body = JSON.stringify({ bucketId: 'kills', sourceKey: from, destinationKey: to });
      await change({ [from]: null, [to]: content }, () => ask('POST', '/object/move', body, json));
    },
    async () => {
      const key = there();
      if (key) await change({ [key]: null }, () => ask('DELETE', `/object/kills/${key}`));
    },
    async () => {
      const keys = [there(), there()].filter((key) => key !== undefined);
      if (keys.length === 0) return;
      const body = JSON.stringify({ prefixes: keys });
      await change(Object.fromEntries(keys.map((key) => [key, null])), () =>
        ask('DELETE', '/object/kills', body, json),
      );
    },
    async () => {
      const [key, body] = [fresh(), bytes()];
      const upload = { key, body, acknowledgedBytes: 0 };
      const meta = Object.entries({ bucketName: 'kills', objectName: key }).map(
        ([k, v]) => `${k} ${Buffer.from(v).toString('base64')}`,
      );
      await change({ [key]: hash(body) }, async () => {
        const made = await tus(ready, 'POST', `${ready.API_URL}/storage/v1/upload/resumable`, {
          'upload-length': String(body.length),
          'upload-metadata': meta.join(','),
        });
        const one = { ...upload, url: made.headers.get('location') ?? '' };
        if (body.length === 0) return 'done';
        staged.push(one);
        await patchAll(ready, one);
        staged.splice(staged.indexOf(one), 1);
        return 'done';
      });
    },
    async () => {
      const [key, body] = [fresh(), Math.random() < 0.3 ? randomBytes(6 * 1024 * 1024) : bytes()];
      await change({ [key]: hash(body) }, async () => {
        await new Upload({ client: s3, params: { Bucket: 'kills', Key: key, Body: body } }).done();
        return 'done';
      });
    },
  ];
  while (!stop.aborted) {
    const kind = kinds[Math.floor(Math.random() * kinds.length)];
    await kind?.();
    await refusals(ready, own, known, tally);
  }
  s3.destroy();
}

/**
 * Sends uploads that must never become visible: one that exceeds the bucket's size limit, and one without permission.
 */
async function refusals(
  ready: Ready,
  own: string,
  known: Map<string, readonly Content[]>,
  tally: Tally,
): Promise<void> {
  if (Math.random() > 0.2) return;
  const key = `${own}/refused-${randomUUID()}`;
  known.set(key, [null]);
  try {
    const anonymous = { authorization: `Bearer ${ready.ANON_KEY}` };
    const denied = await call(ready, 'POST', `/object/kills/${key}`, 'never', anonymous);
    const large = await call(ready, 'POST', `/object/small/${key}`, Buffer.alloc(20_000));
    if (denied.ok || large.ok) throw new Error('What had to be refused was taken');
    tally.refused += 2;
  } catch (error) {
    if ((error as Error).message.startsWith('What')) throw error;
  }
}

async function patchAll(ready: Ready, upload: StagedUpload): Promise<void> {
  while (upload.acknowledgedBytes < upload.body.length) {
    const offset = upload.acknowledgedBytes;
    const response = await tus(
      ready,
      'PATCH',
      upload.url,
      { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
      upload.body.subarray(offset, offset + tusChunkBytes),
    );
    upload.acknowledgedBytes = Number(response.headers.get('upload-offset'));
  }
}

/** Continues resumable uploads at the acknowledged offset. Every second upload is abandoned. */
async function resume(
  ready: Ready,
  staged: readonly StagedUpload[],
  known: Map<string, readonly Content[]>,
  tally: Tally,
): Promise<void> {
  for (const [index, upload] of staged.entries()) {
    if (index % 2 === 1) continue;
    const url = ready.API_URL + new URL(upload.url).pathname;
    const offset = Number((await tus(ready, 'HEAD', url, {})).headers.get('upload-offset'));
    if (!(offset >= upload.acknowledgedBytes))
      throw new Error(`${upload.key}: offset ${offset}, but ${upload.acknowledgedBytes} were acknowledged`);
    await patchAll(ready, { ...upload, url, acknowledgedBytes: offset });
    known.set(upload.key, [hash(upload.body)]);
    tally.resumed += 1;
  }
}

async function verify(ready: Ready, known: Map<string, readonly Content[]>, tally: Tally): Promise<void> {
  const check = async ([key, may]: [string, readonly Content[]]): Promise<void> => {
    for (const bucket of key.includes('/refused-') ? ['kills', 'small'] : ['kills']) {
      const response = await call(ready, 'GET', `/object/authenticated/${bucket}/${key}`);
      const body = Buffer.from(await response.arrayBuffer());
      if (!response.ok && !body.includes('NoSuchKey')) throw new Error(`${key}: ${body}`);
      const content = response.ok ? hash(body) : null;
      if (!may.includes(content))
        throw new Error(
          `${bucket}/${key}: ${content ?? 'nothing'}, not ${may.map((one) => one ?? 'nothing').join(' or ')}`,
        );
      const etag = response.headers.get('etag')?.replaceAll('"', '') ?? '';
      const md5 = createHash('md5').update(body).digest('hex');
      if (response.ok && !etag.includes('-') && etag !== md5)
        throw new Error(`${key}: ETag ${etag} is not its MD5`);
      known.set(key, [content]);
      tally.verified += 1;
    }
  };
  const all = [...known];
  // Only a sample of the deleted objects is checked each time.
  const asked = all.filter(([, may]) => may.length > 1 || may[0] !== null || Math.random() < 0.1);
  const queue = [...asked];
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let one = queue.pop(); one; one = queue.pop()) await check(one);
    }),
  );
}

/**
 * Throws unless the objects folder contains exactly the versions that the rows reference, and no unfinished work is
 * left.
 */
async function requireEqual(projectDir: string, ready: Ready): Promise<void> {
  const root = join(projectDir, '.plinth', 'storage');
  const list = (folder: string): string[] => readdirSync(join(root, folder));
  const database = new pg.Client(ready.DB_URL);
  await database.connect();
  try {
    let fault = '';
    for (const until = performance.now() + maxRecoveryMs; performance.now() < until; ) {
      const { rows } = await database.query<{ version: string }>('select version from storage.objects');
      const inRows = rows.map(({ version }) => version).sort();
      const onDisk = list('objects')
        .flatMap((shard) => list(join('objects', shard)))
        .sort();
      // Empty files are ignored, because they are kept for reuse.
      const intents = list('intents').filter((name) => holdsBytes(join(root, 'intents', name)));
      const left = [...intents, ...list('partial'), ...list('orphans')];
      const lost = inRows.filter((version) => !onDisk.includes(version));
      const extra = onDisk.filter((version) => !inRows.includes(version));
      fault = `without bytes: ${lost}; without rows: ${extra}; unfinished: ${left}`;
      if (lost.length + extra.length + left.length === 0) return;
      await sleep(100);
    }
    throw new Error(`Disk and rows differ. ${fault}\n${storageLog(projectDir)}`);
  } finally {
    await database.end();
  }
}

/** Returns the last log lines of the storage service, which show why unfinished work wasn't completed. */
function storageLog(projectDir: string): string {
  const lines = readFileSync(join(projectDir, '.plinth', 'logs', 'plinth.log'), 'utf8').split('\n');
  return lines
    .filter((line) => line.includes('storage'))
    .slice(-20)
    .join('\n');
}

/** Whether the file exists and contains any bytes. */
const holdsBytes = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;

async function start(projectDir: string): Promise<{ child: ChildProcess; ready: Ready }> {
  const args = [
    plinth,
    'start',
    '--workdir',
    projectDir,
    '--port',
    '0',
    '--json',
    '-x',
    'realtime,functions,studio',
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ready = await new Promise<Ready>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
    child.once('exit', (code, signal) => reject(new Error(`ended with ${code ?? signal}:\n${errors}`)));
  });
  return { child, ready };
}

/** Kills either only the server or PostgreSQL as well. */
async function kill(child: ChildProcess, projectDir: string, withDatabase: boolean): Promise<void> {
  const hasEnded = child.exitCode !== null || child.signalCode !== null;
  const gone = hasEnded ? undefined : new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  if (withDatabase) {
    for (const name of readdirSync('/proc')) {
      try {
        if (/^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(projectDir))
          process.kill(Number(name), 'SIGKILL');
      } catch {
        // The process has ended since the folder was listed.
      }
    }
  }
  await gone;
}

const bytes = (): Buffer => randomBytes(Math.floor(Math.random() ** 3 * 600_000));
const hash = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

function call(
  ready: Ready,
  method: string,
  path: string,
  body?: BodyInit | Buffer,
  headers = {},
): Promise<Response> {
  return fetch(`${ready.API_URL}/storage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${ready.SERVICE_ROLE_KEY}`, ...headers },
    body: (body ?? null) as BodyInit | null,
  });
}

async function tus(
  ready: Ready,
  method: string,
  url: string,
  headers: Record<string, string>,
  body?: Buffer,
): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${ready.SERVICE_ROLE_KEY}`, 'tus-resumable': '1.0.0', ...headers },
    body: (body ?? null) as BodyInit | null,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${response.status} ${text}`);
  return response;
}
