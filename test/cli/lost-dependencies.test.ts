/** A production server starts and serves while every other server that it is configured to use is unreachable. */
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { spawnPlinth } from './run-plinth.ts';

const secret = 'a-secret-of-this-test-with-enough-characters';

function serviceToken(): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 600;
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ role: 'service_role', exp })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** Returns the number of a port at which connections are refused. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('an unreachable NATS, SMTP, S3 and backup server concerns only the requests that need it', async () => {
  const port = await closedPort();
  const cwd = mkdtempSync(join(tmpdir(), 'plinth-lost-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true, maxRetries: 5 }));
  mkdirSync(join(cwd, 'supabase/functions/hello'), { recursive: true });
  mkdirSync(join(cwd, 'supabase/migrations'));
  writeFileSync(join(cwd, 'supabase/functions/hello/index.ts'), 'Deno.serve(() => new Response("hello"));\n');
  writeFileSync(
    join(cwd, 'supabase/migrations/1_notes.sql'),
    "create table notes (id int primary key); insert into storage.buckets (id, name) values ('files', 'files');",
  );
  writeFileSync(
    join(cwd, 'supabase/config.toml'),
    `project_id = "lost"
[functions.hello]
verify_jwt = false
[auth]
jwt_secret = "${secret}"
[auth.email]
enable_confirmations = true
[auth.email.smtp]
host = "127.0.0.1"
port = ${port}
user = "user"
pass = "pass"
admin_email = "admin@example.com"
`,
  );
  const s3 = `access_key_id = "key"\nsecret_access_key = "secret"\n`;
  writeFileSync(
    join(cwd, 'supabase/plinth.toml'),
    `[realtime]
bus = "nats"
nats_url = "nats://127.0.0.1:${port}"
[storage]
backend = "s3"
[storage.s3]
bucket = "bucket"
endpoint = "http://127.0.0.1:${port}"
${s3}[backup]
to = "s3://bucket/backups?endpoint=http://127.0.0.1:${port}&region=us-east-1"
encryption_key = "${'0'.repeat(64)}"
${s3}`,
  );
  const server = spawnPlinth(['serve', '--port', '0', '--json'], { cwd });
  let stdout = '';
  let stderr = '';
  server.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  server.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  while (!/^\{.*\n/m.test(stdout)) {
    if (server.exitCode !== null) throw new Error(stderr);
    await sleep(50);
  }
  const { API_URL: url } = JSON.parse(/^\{.*$/m.exec(stdout)?.[0] as string) as { API_URL: string };
  const key = serviceToken();
  expect(stderr).toMatch(
    /Warning: a service is unhealthy: realtime: .*\nThe server continues, and tries again\./,
  );

  const ready = await fetch(`${url}/health/ready`);
  expect([ready.status, ((await ready.json()) as { status: string }).status]).toEqual([200, 'degraded']);
  const send = (path: string, body?: unknown) =>
    fetch(`${url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { apikey: key, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  expect((await send('/rest/v1/notes', { id: 1 })).status).toBe(201);
  expect(await (await send('/rest/v1/notes')).json()).toEqual([{ id: 1 }]);
  expect(await (await send('/functions/v1/hello')).text()).toBe('hello');
  expect((await send('/storage/v1/bucket/files')).status).toBe(200);
  expect((await send('/storage/v1/object/files/a.txt', {})).status).toBe(503);
  const admin = { email: 'a@example.com', password: 'correct horse battery', email_confirm: true };
  expect((await send('/auth/v1/admin/users', admin)).status).toBe(200);
  expect((await send('/auth/v1/token?grant_type=password', admin)).status).toBe(200);
  // In production, a message is sent after the response, so that the response doesn't show whether there is an account.
  const signUp = { email: 'b@example.com', password: 'correct horse battery' };
  expect((await send('/auth/v1/signup', signUp)).status).toBe(200);
  await expect
    .poll(() => readFileSync(join(cwd, '.plinth/logs/plinth.log'), 'utf8'))
    .toContain('Error sending confirmation email: connect ECONNREFUSED');
});
