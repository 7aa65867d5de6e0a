/** Runs Plinth as a separate process that can be killed. Only processes started by this module are killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const bin = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));

export interface Plinth {
  readonly child: ChildProcess;
  readonly databaseUrl: string;
  /** Runs a query as `postgres` and retries it while PostgreSQL restarts. Returns the rows. */
  query(text: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

export async function startPlinth(projectDir: string, args: readonly string[] = []): Promise<Plinth> {
  const child = spawn(
    process.execPath,
    [bin, 'start', '--workdir', projectDir, '--port', '0', '--json', ...args],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ready = await new Promise<{ DB_URL: string }>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
    child.once('exit', (code, signal) => reject(new Error(`ended with ${code ?? signal}:\n${errors}`)));
  });
  return {
    child,
    databaseUrl: ready.DB_URL,
    async query(text) {
      for (let attempt = 0; ; attempt++) {
        const client = new pg.Client({ connectionString: ready.DB_URL });
        client.on('error', () => undefined);
        try {
          await client.connect();
          return (await client.query(text)).rows;
        } catch (error) {
          const isDown =
            !('severity' in (error as object)) || /^(57P0|08)/.test((error as { code: string }).code);
          if (!isDown || attempt > 100) throw error;
          await new Promise((done) => setTimeout(done, 100));
        } finally {
          await client.end().catch(() => undefined);
        }
      }
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

export async function killPlinth({ child }: Plinth): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Kills this project's PostgreSQL server, which is identified by its PID file. */
export function killPostgres(projectDir: string): void {
  const noted = readFileSync(join(projectDir, '.plinth', 'postgres', 'postmaster.pid'), 'utf8');
  process.kill(Number.parseInt(noted, 10), 'SIGKILL');
}
