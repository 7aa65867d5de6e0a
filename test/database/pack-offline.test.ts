/** Tests servers on a machine that can't download extension packs. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { sql } from '../../src/base/kernel/sql.ts';
import type { PostgresErrorShape } from '../../src/base/shared/errors.ts';
import { shortContext } from '../../src/base/shared/sql/error-context.ts';
import { createDatabase, type Database } from '../../src/platform/database/index.ts';
import { copyTemplateFolder } from '../../src/platform/database/testing/template-folder.ts';
import { missingPack } from '../support/packs.ts';
import { killEverything, temporaryFolder } from './helpers.ts';

let folder: ReturnType<typeof temporaryFolder>;
let database: Database | undefined;

function goOffline(): void {
  vi.stubEnv('PLINTH_CACHE_DIR', join(folder.path, 'cache'));
  vi.stubEnv('PIP_CONFIG_FILE', '/dev/null');
  vi.stubEnv('PIP_NO_INDEX', '1');
  vi.stubEnv('PIP_FIND_LINKS', '');
}

beforeEach(async () => {
  folder = temporaryFolder();
  await copyTemplateFolder(folder.path);
  goOffline();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await database?.stop();
  database = undefined;
  killEverything(folder.path);
  folder.remove();
});

test('create extension fails with a message that describes what to do, and the server continues', async () => {
  database = await createDatabase({ dataDir: folder.path, durable: false });
  const postgres = database.pool('postgres');
  const failure = await postgres.exec('create extension vector').catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: '0A000',
    message: expect.stringContaining("The extension vector 0.8.6 couldn't be downloaded"),
    hint: expect.stringContaining('plinth fetch --only extensions'),
  });
  expect(shortContext((failure as PostgresErrorShape).where)).toMatch(
    /^extension script file "[^"]+", near line 1$/,
  );
  await postgres.exec('create table still_works ()');
});

test('SQL that forges a request can neither name another extension nor get an answer for another session', async () => {
  database = await createDatabase({ dataDir: folder.path, durable: false });
  const postgres = database.pool('postgres');
  await postgres.exec(`do $$ begin
    raise log 'plinth requests the extension pack: ../../x 00000000-0000-4000-8000-000000000000';
    raise log 'plinth requests the extension pack: vector ../../../x';
  end $$`);
  await expect(postgres.exec('create extension vector')).rejects.toThrow("couldn't be downloaded");
});

describe.skipIf(await missingPack('vector'))('a project that has created the extension', () => {
  const progress: string[] = [];
  const start = async () => {
    progress.length = 0;
    database = await createDatabase({
      dataDir: folder.path,
      durable: false,
      onProgress: (message) => progress.push(message),
    });
    return database.pool('postgres');
  };
  const distance = sql`select '[1,2]'::vector <-> '[1,3]' as d`;

  beforeEach(async () => {
    vi.unstubAllEnvs();
    await (await start()).exec('create extension vector with schema extensions');
    await database?.stop();
    goOffline();
  });

  test('needs neither the cache nor a network anymore', async () => {
    expect(await (await start()).query(distance)).toEqual([{ d: 1 }]);
    expect(progress.join()).not.toContain('downloaded');
  });

  test('uses an earlier version of the pack until the current one can be downloaded', async () => {
    const extensions = join(folder.path, 'extensions');
    writeFileSync(join(extensions, 'packs', 'vector'), 'vector-0.8.5-000000000000');
    rmSync(join(extensions, 'stamp'));
    expect(await (await start()).query(distance)).toEqual([{ d: 1 }]);
    expect(progress.join()).toContain('An earlier version of the extension vector is used until then.');
    await database?.stop();
    vi.unstubAllEnvs();
    expect(await (await start()).query(distance)).toEqual([{ d: 1 }]);
    expect(progress.join()).not.toContain('earlier version');
  });

  test('starts without the pack, and says what fails', async () => {
    rmSync(join(folder.path, 'extensions'), { recursive: true });
    const postgres = await start();
    expect(progress.join()).toContain('Statements that use the extension vector fail until then.');
    await expect(postgres.query(distance)).rejects.toThrow('could not access file');
    await postgres.exec('create table still_works ()');
  });
});
