/** Tests backups of projects whose tables use extensions with native code, from a pack and from a folder. */
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { knownPack, packFolder } from '../../src/platform/packs/index.ts';
import { missingPack } from '../support/packs.ts';
import { makeProject, type Project, type Ready, run, startServer } from './server.ts';

let target: string;
let project: Project;
beforeEach(() => {
  target = mkdtempSync(join(tmpdir(), 'plinth-target-'));
  project = makeProject(target);
  // The user of PostgreSQL reads the named folder.
  chmodSync(project.dir, 0o755);
  writeFileSync(
    join(project.dir, 'supabase', 'migrations', '20260102000000_vector.sql'),
    `create extension vector with schema extensions;
    create table public.items (id int primary key, embedding extensions.vector(2));
    insert into public.items select n, array[n, 1]::extensions.vector from generate_series(1, 200) n;
    create index near on public.items using hnsw (embedding extensions.vector_l2_ops);`,
  );
});
afterEach(() => {
  vi.unstubAllEnvs();
  project.remove();
  rmSync(target, { recursive: true, force: true });
});

const plinth = async (...args: string[]): Promise<string> => {
  const { status, stdout, stderr } = await run(project, args);
  expect(status, stderr).toBe(0);
  return stdout;
};

async function nearest({ DB_URL }: Ready): Promise<unknown> {
  const client = new pg.Client(DB_URL);
  await client.connect();
  try {
    const { rows } = await client.query(
      `select id from public.items order by embedding operator(extensions.<->) '[70,1]' limit 1`,
    );
    return rows[0]?.id;
  } finally {
    await client.end();
  }
}

/** Creates a backup, and returns the folder to which it has been restored. */
async function backUpAndRestore(): Promise<string> {
  const server = await startServer(project);
  await plinth('backup');
  expect(await plinth('backup', 'verify')).not.toContain("can't be read");
  await server.stop();
  const restored = join(project.dir, 'restored');
  await plinth('restore', '--data-dir', restored);
  return restored;
}

describe.skipIf(await missingPack('vector'))('a project with vector', () => {
  test('is verified and restored with the pack', async () => {
    const copy = await startServer(project, await backUpAndRestore());
    expect(await nearest(copy)).toBe(70);
    await copy.stop();
  });

  test('is verified and restored with the folder that the operator named, without the pack', async () => {
    const named = join(project.dir, 'named');
    const pack = knownPack('vector');
    if (pack === undefined) throw new Error('vector is a known pack');
    for (const part of ['extension', 'lib'])
      cpSync(join(packFolder(pack), part), join(named, part), { recursive: true });
    const settings = join(project.dir, 'supabase', 'plinth.toml');
    const own = readFileSync(settings, 'utf8');
    writeFileSync(settings, `${own}\n[database]\nextension_folders = ["${named}"]\n`);
    vi.stubEnv('PLINTH_CACHE_DIR', join(project.dir, 'cache'));
    vi.stubEnv('PIP_CONFIG_FILE', '/dev/null');
    vi.stubEnv('PIP_NO_INDEX', '1');
    vi.stubEnv('PIP_FIND_LINKS', '');
    const restored = await backUpAndRestore();
    const copy = await startServer(project, restored);
    expect(await nearest(copy)).toBe(70);
    await copy.stop();
    // A machine without the folder can restore the backup. Its server says what is missing.
    rmSync(named, { recursive: true });
    const other = join(project.dir, 'other');
    await plinth('restore', '--data-dir', other);
    await expect(startServer(project, other)).rejects.toThrow(
      `The extension folder ${named} can't be used: it doesn't exist.`,
    );
  });
});
