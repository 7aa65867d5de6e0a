/** A project with its own database, whose branches run in separate processes. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { startBranchServers } from '../../src/entry/cli/branch-servers.ts';
import { type Backend, createBackend } from '../../src/entry/main.ts';

// Each branch starts a process and a PostgreSQL server, which takes long on a busy machine.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const program = fileURLToPath(new URL('../../bin/plinth-built.mjs', import.meta.url));

export interface TestProject {
  readonly dir: string;
  readonly backend: Backend;
  readonly ref: string;
  /** Creates an access token with the role. */
  token(role: 'owner' | 'developer' | 'read-only'): Promise<string>;
  stop(): Promise<void>;
}

export async function startProject(
  files: Readonly<Record<string, string>>,
  mode: 'development' | 'production' = 'development',
): Promise<TestProject> {
  const dir = mkdtempSync(join(tmpdir(), 'plinth-branches-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(dir, 'supabase', path, '..'), { recursive: true });
    writeFileSync(join(dir, 'supabase', path), text);
  }
  const backend = await createBackend({
    projectDir: dir,
    mode,
    ...{ port: 0, dbPort: 0, mailPort: 0, consolePort: 0 },
    passwordCost: 4,
    startBranchServer: startBranchServers({ projectDir: dir, program }),
  });
  await backend.start();
  await backend.consoleLink();
  const { ref } = (await backend.manage('getProject', {})) as { ref: string };
  return {
    dir,
    backend,
    ref,
    async token(role) {
      if (role !== 'owner') await backend.operators.createOperator(role, role);
      return (await backend.operators.tokens.create(role, role, 3600)).token;
    },
    async stop() {
      await backend.stop();
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
