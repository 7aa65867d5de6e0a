/** Starts the file servers that `bench/storage-peers.ts` compares, and stores the files that are read. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { FileRequest } from './file-client.ts';

export interface FileServer {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
  /** PostgreSQL's main process. Undefined if the server contains its database. */
  readonly postmasterPid: number | undefined;
  readonly requests: Readonly<Record<string, FileRequest>>;
  stop(): Promise<void>;
}

const KIB = 1024;
export const fileSizes = { '1k': KIB, '100k': 100 * KIB, '1m': KIB * KIB } as const;
const uploadBytes = 100 * KIB;

/** PocketBase 0.40 and later require a newer version of Go than most Linux distributions provide. */
export const pocketBaseVersion = 'v0.39.9';

const headOf = (line: string, headers: Readonly<Record<string, string | number>> = {}): string =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')}\r\n`;

/** Returns the read requests, given the paths of the files by visibility and size. */
function reads(
  pathOf: (visibility: 'public' | 'private', size: string) => string,
  tokenHeaders: Readonly<Record<string, string>>,
): Record<string, FileRequest> {
  const requests: Record<string, FileRequest> = {};
  for (const [size, responseBytes] of Object.entries(fileSizes)) {
    requests[`public ${size}`] = {
      head: headOf(`GET ${pathOf('public', size)}`),
      status: 200,
      responseBytes,
    };
    requests[`token ${size}`] = {
      head: headOf(`GET ${pathOf('private', size)}`, tokenHeaders),
      status: 200,
      responseBytes,
    };
  }
  requests['range 1k of 1m'] = {
    head: headOf(`GET ${pathOf('public', '1m')}`, { Range: 'bytes=500000-501023' }),
    status: 206,
    responseBytes: KIB,
  };
  return requests;
}

async function send(url: string, init: RequestInit): Promise<Record<string, unknown>> {
  const response = await fetch(url, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${init.method} ${url}: ${response.status} ${text}`);
  return text.startsWith('{') ? JSON.parse(text) : {};
}

async function ended(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  if (child.exitCode === null && child.signalCode === null)
    await new Promise((resolve) => child.once('exit', resolve));
}

const userId = '00000000-0000-4000-8000-000000000001';

const policies = `
  create policy own_read on storage.objects for select to authenticated
    using (owner_id = (select auth.uid()::text));
  create policy own_write on storage.objects for insert to authenticated
    with check (bucket_id = 'private' and owner_id = (select auth.uid()::text));`;

/** Starts Plinth from a source folder whose build is current. */
export async function startPlinth(name: string, sourceFolder: string): Promise<FileServer> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-bench-files-'));
  const bin = join(sourceFolder, 'bin', 'plinth-built.mjs');
  const args = ['--min-semi-space-size=8', bin, 'start'];
  const child = spawn(process.execPath, [...args, '--workdir', folder, '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  const state = JSON.parse(text) as Record<string, string>;
  const { API_URL: url = '', DB_URL: databaseUrl, JWT_SECRET: secret = '', SERVICE_ROLE_KEY: key } = state;
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query(policies);
  const { rows } = await database.query('select pg_backend_pid() as pid');
  const postmasterPid = parentOf(rows[0].pid);
  await database.end();

  const token = signed(
    { role: 'authenticated', sub: userId, aud: 'authenticated', exp: 4_000_000_000 },
    secret,
  );
  const headers = { authorization: `Bearer ${key}` };
  for (const visibility of ['public', 'private'] as const) {
    await send(`${url}/storage/v1/bucket`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: visibility, public: visibility === 'public' }),
    });
    for (const [size, sizeBytes] of Object.entries(fileSizes))
      await send(`${url}/storage/v1/object/${visibility}/${size}`, {
        method: 'POST',
        headers: visibility === 'private' ? { authorization: `Bearer ${token}` } : headers,
        body: randomBytes(sizeBytes),
      });
  }
  const authorization = { Authorization: `Bearer ${token}` };
  const stored = '/storage/v1/object';
  return {
    name,
    port: Number(new URL(url).port),
    pid: child.pid as number,
    postmasterPid,
    requests: {
      ...reads(
        (visibility, size) =>
          visibility === 'public'
            ? `${stored}/public/public/${size}`
            : `${stored}/authenticated/private/${size}`,
        authorization,
      ),
      'upload 100k': {
        head: headOf(`POST ${stored}/private/upload/{n}`, {
          ...authorization,
          'Content-Type': 'application/octet-stream',
          'Content-Length': uploadBytes,
        }),
        body: { before: '', randomBytes: uploadBytes, after: '' },
        status: 200,
      },
    },
    async stop() {
      await ended(child);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

function signed(claims: object, secret: string): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** Returns PocketBase's program, which is built on first use. Returns undefined if Go isn't installed. */
function buildPocketBase(): string | undefined {
  if (spawnSync('go', ['version']).status !== 0) return undefined;
  const folder = join(tmpdir(), `plinth-bench-pocketbase-${pocketBaseVersion}`);
  const program = join(folder, 'pocketbase');
  if (existsSync(program)) return program;
  console.log(`building PocketBase ${pocketBaseVersion} in ${folder}`);
  mkdirSync(folder, { recursive: true });
  copyFileSync(fileURLToPath(new URL('../peers/pocketbase.go', import.meta.url)), join(folder, 'main.go'));
  const go = (...args: string[]) => execFileSync('go', args, { cwd: folder, stdio: 'inherit' });
  if (!existsSync(join(folder, 'go.mod'))) go('mod', 'init', 'pocketbase');
  go('get', `github.com/pocketbase/pocketbase@${pocketBaseVersion}`);
  go('mod', 'tidy');
  go('build', '-o', 'pocketbase', '.');
  return program;
}

const account = { identity: 'bench@example.com', password: 'bench-password' };

/**
 * Starts PocketBase with one collection of public files and one of files that only their owner can read. Returns
 * undefined if Go isn't installed.
 */
export async function startPocketBase(): Promise<FileServer | undefined> {
  const program = buildPocketBase();
  if (program === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'plinth-bench-pocketbase-'));
  execFileSync(program, ['superuser', 'upsert', account.identity, account.password, '--dir', folder]);
  const port = await freePort();
  const child = spawn(program, ['serve', '--http', `127.0.0.1:${port}`, '--dir', folder], {
    stdio: 'ignore',
  });
  const api = `http://127.0.0.1:${port}/api`;
  while (!(await fetch(`${api}/health`).catch(() => undefined))?.ok) await sleep(50);

  const json = { 'content-type': 'application/json' };
  const signIn = async (collection: string): Promise<string> => {
    const path = `${api}/collections/${collection}/auth-with-password`;
    const { token } = await send(path, { method: 'POST', headers: json, body: JSON.stringify(account) });
    return String(token);
  };
  const asAdmin = { ...json, authorization: await signIn('_superusers') };
  const create = (path: string, body: object): Promise<Record<string, unknown>> =>
    send(`${api}/${path}`, { method: 'POST', headers: asAdmin, body: JSON.stringify(body) });
  const { id: ownerId } = await create('collections/users/records', {
    email: account.identity,
    verified: true,
    password: account.password,
    passwordConfirm: account.password,
  });
  const isOwner = '@request.auth.id != "" && owner = @request.auth.id';
  const rulesOf = { public: '', private: isOwner } as const;
  for (const [name, rule] of Object.entries(rulesOf))
    await create('collections', {
      name,
      type: 'base',
      viewRule: rule,
      createRule: isOwner,
      fields: [
        { name: 'owner', type: 'text' },
        { name: 'file', type: 'file', maxSelect: 1, maxSize: 10 * KIB * KIB, protected: name === 'private' },
      ],
    });

  const userToken = await signIn('users');
  const paths: Record<string, string> = {};
  for (const collection of Object.keys(rulesOf)) {
    for (const [size, sizeBytes] of Object.entries(fileSizes)) {
      const form = new FormData();
      form.set('owner', String(ownerId));
      form.set('file', new Blob([randomBytes(sizeBytes)]), `${size}.bin`);
      const record = await send(`${api}/collections/${collection}/records`, {
        method: 'POST',
        headers: { authorization: userToken },
        body: form,
      });
      paths[`${collection} ${size}`] = `/api/files/${collection}/${record.id}/${record.file}`;
    }
  }
  // A protected file is read with a token in the query.
  const { token: fileToken } = await send(`${api}/files/token`, {
    method: 'POST',
    headers: { authorization: userToken },
  });
  const boundary = 'plinth-bench-boundary';
  const part = (disposition: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`;
  const body = {
    before: `${part('name="owner"')}\r\n${ownerId}\r\n${part('name="file"; filename="upload.bin"')}Content-Type: application/octet-stream\r\n\r\n`,
    randomBytes: uploadBytes,
    after: `\r\n--${boundary}--\r\n`,
  };
  return {
    name: 'PocketBase',
    port,
    pid: child.pid as number,
    postmasterPid: undefined,
    requests: {
      ...reads((visibility, size) => {
        const path = paths[`${visibility} ${size}`] ?? '';
        return visibility === 'public' ? path : `${path}?token=${fileToken}`;
      }, {}),
      'upload 100k': {
        head: headOf('POST /api/collections/private/records', {
          Authorization: userToken,
          'Content-Type': `multipart/form-data; boundary=${boundary}`,
          'Content-Length': body.before.length + uploadBytes + body.after.length,
        }),
        body,
        status: 200,
      },
    },
    async stop() {
      await ended(child);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
