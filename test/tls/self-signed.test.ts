/**
 * Tests `[api.tls] enabled = true` without files, which creates a self-signed certificate that functions and SQL
 * requests accept.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { Backend } from '../../src/entry/main.ts';
import { createTestBackend } from '../../src/entry/testing.ts';
import { certificateAt, fetchHttps } from '../support/https.ts';

let backend: Backend;
let dir: string;
const portOf = (url: string): number => Number(new URL(url).port);

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'plinth-self-signed-'));
  mkdirSync(join(dir, 'supabase', 'functions', 'ask'), { recursive: true });
  writeFileSync(
    join(dir, 'supabase', 'config.toml'),
    '[api.tls]\nenabled = true\n[functions.ask]\nverify_jwt = false\n',
  );
  writeFileSync(
    join(dir, 'supabase', 'functions', 'ask', 'index.ts'),
    `Deno.serve(async (request) => {
      const url = Deno.env.get('SUPABASE_URL') + '/auth/v1/health';
      const { name } = await (await fetch(url)).json();
      return Response.json({ name, scheme: request.headers.get('x-forwarded-proto') });
    });`,
  );
  backend = await createTestBackend({ projectDir: dir });
});
afterAll(async () => {
  await backend?.stop();
  rmSync(dir, { recursive: true, force: true });
});

it('serves HTTPS with this machine’s names and without Strict-Transport-Security', async () => {
  expect(backend.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  const { subjectaltname } = await certificateAt(portOf(backend.url), 'localhost');
  expect(subjectaltname).toContain('DNS:localhost, IP Address:127.0.0.1');
  const { status, headers } = await fetchHttps(portOf(backend.url), 'localhost', '/auth/v1/health');
  expect(status).toBe(200);
  expect(headers).not.toHaveProperty('strict-transport-security');
});

it('the Console accepts its own pages only over HTTPS', async () => {
  const port = portOf(backend.console.url);
  const page = await fetchHttps(port, 'localhost', '/console/');
  expect(page.status).toBe(200);
  const csp = String(page.headers['content-security-policy']);
  expect(csp).toContain(`wss://127.0.0.1:${portOf(backend.url)}`);
  const from = async (origin: string) =>
    (await fetchHttps(port, 'localhost', '/console/api/session', { headers: { origin } })).status;
  expect(await from(`http://localhost:${port}`)).toBe(403);
  expect(await from(`https://localhost:${port}`)).not.toBe(403);
});

it('functions can call the API', async () => {
  const response = await fetchHttps(portOf(backend.url), 'localhost', '/functions/v1/ask');
  expect(JSON.parse(response.body)).toEqual({ name: 'GoTrue', scheme: 'https' });
});

it('requests from SQL can reach the API', async () => {
  const db = backend.database.pool('postgres');
  await db.exec('create extension if not exists http with schema extensions');
  const [row] = await db.query<{ status: number }>(
    sql`select status from extensions.http_get(${`${backend.url}/auth/v1/health`})`,
  );
  expect(row?.status).toBe(200);
});

it('the Account pages set secure cookies', async () => {
  const { headers } = await fetchHttps(portOf(backend.url), 'localhost', '/account/sign-in');
  for (const cookie of headers['set-cookie'] ?? []) expect(cookie).toContain('Secure');
});
