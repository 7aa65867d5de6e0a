/**
 * Tests how functions are downloaded and deployed over the Management API. Like the hosted server, the server in this
 * test stores the functions that it receives.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  deployFunctions,
  downloadFunctions,
  type ManagementAccess,
} from '../../src/project/migrate/index.ts';

interface Deployed {
  readonly slug: string;
  readonly verify_jwt: boolean;
  readonly files: readonly (readonly [name: string, text: string])[];
}

let server: Server;
let folder: string;
let access: ManagementAccess;
let deployed: Deployed[] = [];
let secrets: { name: string; value: string }[] = [];

beforeEach(async () => {
  deployed = [];
  secrets = [];
  folder = mkdtempSync(join(tmpdir(), 'plinth-functions-'));
  server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    const path = url.pathname.replace('/v1/projects/abc', '');
    const body = await buffer(request);
    if (request.headers.authorization !== 'Bearer token')
      response.writeHead(401).end('{"message":"Unauthorized"}');
    else if (path === '/functions/deploy') {
      const form = await new Response(new Uint8Array(body), {
        headers: { 'content-type': request.headers['content-type'] ?? '' },
      }).formData();
      const { verify_jwt } = JSON.parse(String(form.get('metadata'))) as { verify_jwt: boolean };
      const files = await Promise.all(
        form.getAll('file').map(async (file) => [(file as File).name, await (file as File).text()] as const),
      );
      deployed.push({ slug: url.searchParams.get('slug') ?? '', verify_jwt, files });
      response.writeHead(201).end('{}');
    } else if (path === '/functions')
      response.end(JSON.stringify(deployed.map(({ slug, verify_jwt }) => ({ slug, verify_jwt }))));
    else if (path === '/secrets' && request.method === 'POST') {
      secrets.push(...(JSON.parse(body.toString()) as typeof secrets));
      response.writeHead(201).end('{}');
    } else if (path === '/secrets')
      response.end(JSON.stringify(secrets.map(({ name }) => ({ name, value: 'a hash' }))));
    else {
      const found = deployed.find(({ slug }) => path === `/functions/${slug}/body`);
      const form = new FormData();
      form.set('metadata', '{}');
      for (const [name, text] of found?.files ?? []) form.append('file', new Blob([text]), name);
      const built = new Response(form);
      response.setHeader('content-type', built.headers.get('content-type') ?? '');
      response.end(Buffer.from(await built.arrayBuffer()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  access = { apiUrl: `http://127.0.0.1:${port}`, projectRef: 'abc', accessToken: 'token' };
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function writeFiles(files: Readonly<Record<string, string>>): string {
  const dir = join(folder, 'from');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(dir, path, '..'), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  return dir;
}

test('functions and secrets are sent to the API, and downloaded functions consist of the same files', async () => {
  const from = writeFiles({
    'hello/index.ts': "import { cors } from '../_shared/cors.ts';",
    'hello/lib/a.ts': 'export const a = 1;',
    'open/index.ts': 'Deno.serve(() => new Response("x"));',
    '_shared/cors.ts': 'export const cors = {};',
    '.env': 'API_KEY=the#secret # comment\nSUPABASE_URL=own\n',
    'hello/.env': 'NEVER=sent\n',
  });
  const sent = await deployFunctions(access, from, (slug) => slug !== 'open', false);
  expect(sent.functions.toSorted()).toEqual(['hello', 'open']);
  expect(secrets).toEqual([{ name: 'API_KEY', value: 'the#secret' }]);
  expect(JSON.stringify(deployed)).not.toContain('NEVER');

  const to = join(folder, 'to');
  const migrated = await downloadFunctions(access, to, { overwrite: false, check: false });
  expect(migrated.functions.toSorted()).toEqual(['hello', 'open']);
  expect(migrated.withoutJwt).toEqual(['open']);
  expect(migrated.notes).toEqual([
    "Function secrets: the API doesn't return the values of API_KEY. Set them in supabase/functions/.env.",
  ]);
  for (const path of ['hello/index.ts', 'hello/lib/a.ts', 'open/index.ts', '_shared/cors.ts'])
    expect(readFileSync(join(to, path), 'utf8')).toBe(readFileSync(join(from, path), 'utf8'));

  // A second run doesn't transfer anything or overwrite edited files.
  writeFileSync(join(to, 'open/index.ts'), 'edited');
  const again = await downloadFunctions(access, to, { overwrite: false, check: false });
  expect(again.functions).toEqual([]);
  expect(again.notes.join()).toContain('open/index.ts exists with different content');
  expect(readFileSync(join(to, 'open/index.ts'), 'utf8')).toBe('edited');
});

test('--check doesn’t write anything', async () => {
  deployed = [{ slug: 'hello', verify_jwt: true, files: [['source/index.ts', 'x']] }];
  const to = join(folder, 'to');
  const report = await downloadFunctions(access, to, { overwrite: false, check: true });
  expect(report.functions).toEqual(['hello']);
  expect(existsSync(to)).toBe(false);
});

test('a file name that refers to a different folder is rejected', async () => {
  deployed = [
    {
      slug: 'hello',
      verify_jwt: true,
      files: [
        ['../../outside.ts', 'x'],
        ['source/index.ts', 'ok'],
      ],
    },
    { slug: '../evil', verify_jwt: true, files: [['source/index.ts', 'x']] },
  ];
  const to = join(folder, 'to');
  const report = await downloadFunctions(access, to, { overwrite: true, check: false });
  expect(report.functions).toEqual(['hello']);
  expect(report.notes).toEqual(['Function hello: the file name "../../outside.ts" isn\'t allowed.']);
  expect(existsSync(join(folder, 'outside.ts'))).toBe(false);
});

test('a rejected token causes an error in one sentence, without the token', async () => {
  const wrong = { ...access, accessToken: 'another secret' };
  await expect(downloadFunctions(wrong, folder, { overwrite: false, check: true })).rejects.toThrow(
    'The Management API rejected GET /functions: 401 {"message":"Unauthorized"}',
  );
});
