/**
 * Tests the webhooks for events about users while Plinth and PostgreSQL are killed with kill -9: an event whose change
 * was committed arrives, however the process ended. Two processes that share a database send each delivery once.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { killPlinth, killPostgres, type Plinth, startPlinth } from './process.ts';
import { openTarget, type Target } from './target.ts';

// The timeout is long because PostgreSQL recovers, and a killed process holds its leases for a minute.
const folders: string[] = [];
let target: Target;
let plinth: Plinth;
let projectDir: string;

/** Creates a project that two processes can use (see crash.test.ts). */
function project(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-webhooks-'));
  folders.push(dir);
  const secret = `whsec_${createHash('sha256').update('crash').digest('base64')}`;
  mkdirSync(join(dir, 'supabase'));
  writeFileSync(
    join(dir, 'supabase', 'plinth.toml'),
    `[database]\nshared_password = true\n
[auth.webhooks.crm]\nurl = "${target.url}/crm"\nevents = ["user.created"]\nsecret = "${secret}"\n`,
  );
  return dir;
}

beforeAll(async () => {
  target = await openTarget();
  projectDir = project();
  plinth = await startPlinth(projectDir);
});
afterAll(async () => {
  await plinth?.stop();
  await target?.close();
  for (const dir of folders) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
});

/** The IDs of the events about users with this audience that have arrived, once per request. */
const arrived = (audience: string): string[] =>
  target.arrived
    .filter(({ body }) => body.includes(`"aud":"${audience}"`) || body.includes(`"aud": "${audience}"`))
    .map(({ headers }) => String(headers['webhook-id']));

const create = (audience: string, count: number): Promise<unknown> =>
  plinth.query(`insert into auth.users (id, aud, email, is_sso_user, is_anonymous, created_at)
    select gen_random_uuid(), '${audience}', null, false, false, now() from generate_series(1, ${count})`);

test('an event survives a kill between its commit and its delivery', async () => {
  const users = 40;
  const audience = `crash-${crypto.randomUUID()}`;
  // No request is answered before the kill.
  target.answer(() => undefined);
  await create(audience, users);
  await expect.poll(() => arrived(audience).length, { timeout: 60_000 }).toBeGreaterThan(0);
  killPostgres(projectDir);
  await killPlinth(plinth);
  const before = new Set(arrived(audience));
  expect(before.size).toBeLessThan(users);
  target.answer((_request, response) => void response.end('ok'));
  plinth = await startPlinth(projectDir);
  await expect.poll(() => new Set(arrived(audience)).size, { timeout: 150_000 }).toBe(users);
  // The interrupted requests are sent again, after the lease of the killed process.
  const repeated = (): number => arrived(audience).length - users;
  await expect.poll(repeated, { timeout: 150_000 }).toBeGreaterThanOrEqual(before.size);
  const waiting = `select count(*)::int as n from _plinth.user_event_deliveries where status = 'waiting'`;
  await expect.poll(() => plinth.query(waiting), { timeout: 60_000 }).toEqual([{ n: 0 }]);
});

test('two processes on one database send each delivery once', async () => {
  const users = 300;
  const audience = `nodes-${crypto.randomUUID()}`;
  target.answer((_request, response) => void setTimeout(() => response.end('ok'), 20));
  const url = new URL(plinth.databaseUrl);
  url.username = 'supabase_admin';
  const other = await startPlinth(project(), ['--database-url', url.href]);
  try {
    await create(audience, users);
    await expect.poll(() => new Set(arrived(audience)).size, { timeout: 120_000 }).toBe(users);
    const waiting = `select count(*)::int as n from _plinth.user_event_deliveries where status = 'waiting'`;
    await expect.poll(() => plinth.query(waiting), { timeout: 60_000 }).toEqual([{ n: 0 }]);
    expect(arrived(audience).length).toBe(users);
  } finally {
    await other.stop();
  }
});
