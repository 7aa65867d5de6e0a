/**
 * Tests how a server in the foreground stops after signals, after the npm process has ended, and with clients that keep
 * their connections open. If its output is closed, the server doesn't stop.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';

const bin = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));

interface Running {
  readonly child: ChildProcess;
  readonly cwd: string;
  readonly url: string;
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Returns the PostgreSQL processes of the server. */
  postgres(): number[];
}

function project(settings = ''): string {
  const cwd = mkdtempSync(join(tmpdir(), 'plinth-stop-'));
  mkdirSync(join(cwd, 'supabase'));
  writeFileSync(join(cwd, 'supabase', 'config.toml'), 'project_id = "stop"\n');
  writeFileSync(join(cwd, 'supabase', 'plinth.toml'), settings);
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  return cwd;
}

/** Returns the processes whose command line contains this text. */
function processesWith(text: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

async function started(command: string, args: readonly string[], cwd: string): Promise<Running> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  onTestFinished(() => {
    for (const pid of processesWith(cwd)) process.kill(pid, 'SIGKILL');
  });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  );
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  for (let tries = 0; !/^\{.*\n/m.test(stdout); tries++) {
    if (tries > 1500) throw new Error(`not ready: ${stdout}`);
    await sleep(20);
  }
  const status = JSON.parse(/^\{.*$/m.exec(stdout)?.[0] as string) as { API_URL: string };
  return {
    child,
    cwd,
    url: status.API_URL,
    ended,
    postgres: () => processesWith(join(cwd, '.plinth', 'postgres')),
  };
}

const start = (cwd: string, command = 'start'): Promise<Running> =>
  started(process.execPath, [bin, command, '--workdir', cwd, '--port', '0', '--json'], cwd);

async function untilGone({ url, cwd, postgres }: Running): Promise<void> {
  for (let tries = 0; postgres().length > 0 || existsSync(join(cwd, '.plinth', 'state.json')); tries++) {
    if (tries > 500) throw new Error('something is still running');
    await sleep(20);
  }
  await expect(fetch(`${url}/health/live`)).rejects.toThrow();
}

test.each([0, 4, 200])(
  'two signals %i ms apart stop the server once and leave no processes or files behind',
  async (pauseMs) => {
    const server = await start(project());
    server.child.kill('SIGTERM');
    await sleep(pauseMs);
    server.child.kill('SIGTERM');
    expect(await server.ended).toEqual({ code: 0, signal: null });
    await untilGone(server);
  },
);

test('signals until the process has exited don’t turn a clean exit into a failure', async () => {
  const server = await start(project());
  const signals = setInterval(() => server.child.kill('SIGTERM'), 1);
  expect(await server.ended).toEqual({ code: 0, signal: null });
  clearInterval(signals);
  await untilGone(server);
});

test('a forced stop also ends PostgreSQL', async () => {
  const server = await start(project());
  // A server that stops waits for this request, which never ends.
  const open = connect(Number(new URL(server.url).port), '127.0.0.1');
  open.on('error', () => undefined);
  open.write('POST /auth/v1/signup HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{');
  await sleep(200);
  server.child.kill('SIGTERM');
  await sleep(1200);
  server.child.kill('SIGTERM');
  expect(await server.ended).toEqual({ code: 1, signal: null });
  for (let tries = 0; server.postgres().length > 0; tries++) {
    if (tries > 250) throw new Error('PostgreSQL is still running');
    await sleep(20);
  }
});

test("a closed output doesn't end the server", async () => {
  const server = await start(project());
  server.child.stdout?.destroy();
  await sleep(100);
  server.child.kill('SIGHUP');
  await sleep(300);
  expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
  server.child.kill('SIGINT');
  expect(await server.ended).toEqual({ code: 0, signal: null });
  await untilGone(server);
});

test('a server that npm started stops when npm has ended', async () => {
  const cwd = project();
  writeFileSync(
    join(cwd, 'package.json'),
    JSON.stringify({
      scripts: { up: `"${process.execPath}" "${bin}" start --workdir "${cwd}" --port 0 --json` },
    }),
  );
  const server = await started('npm', ['run', '--silent', 'up'], cwd);
  server.child.kill('SIGKILL');
  await server.ended;
  await untilGone(server);
});

test('plinth serve responds to every request until the load balancer stops sending', async () => {
  const server = await start(project('[server]\ndrain = "5s"\n'), 'serve');
  const agent = new Agent({ connections: 20, pipelining: 1, keepAliveTimeout: 60_000 });
  let answered = 0;
  let isSending = true;
  const failures: string[] = [];
  const client = async (): Promise<void> => {
    while (isSending) {
      try {
        const { statusCode, body } = await request(`${server.url}/rest/v1/`, { dispatcher: agent });
        await body.text();
        // The root path rejects requests without a key, which is enough to show that the server responds.
        if (statusCode >= 500) failures.push(String(statusCode));
        answered += 1;
      } catch (error) {
        failures.push(`${(error as NodeJS.ErrnoException).code}: ${(error as Error).message}`);
      }
      await sleep(5);
    }
  };
  const clients = Array.from({ length: 20 }, client);
  while (answered < 100) await sleep(20);
  server.child.kill('SIGTERM');
  while ((await fetch(`${server.url}/health/ready`)).status === 200) await sleep(20);
  const whenNotReady = answered;
  while (answered < whenNotReady + 100) await sleep(5);
  isSending = false;
  await Promise.all(clients);
  expect(failures).toEqual([]);
  expect(await server.ended).toEqual({ code: 0, signal: null });
  await untilGone(server);
  await agent.destroy();
});
