/** Tests that the list of nodes contains the readers of database changes, with both buses. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Backend, createBackend } from '../../src/entry/main.ts';
import { Client, parseConnectionString } from '../../src/platform/database/wire/index.ts';
import { availableServers, type ExternalServer, startExternalServer } from '../database/external-server.ts';
import { temporaryFolder } from '../database/helpers.ts';
import { natsServer, startNats, type TestNats } from '../realtime/nats-server.ts';

const buses = natsServer === undefined ? (['postgres'] as const) : (['postgres', 'nats'] as const);

describe.each(buses)('nodes that share messages over %s', (bus) => {
  const folder = temporaryFolder();
  let server: ExternalServer;
  let nats: TestNats | undefined;
  let nodes: Backend[] = [];
  const clients: SupabaseClient[] = [];
  beforeAll(async () => {
    vi.stubEnv('PLINTH_SECRET', 'the secret that all of these servers have');
    const dir = join(folder.path, 'server');
    mkdirSync(dir, { mode: 0o755 });
    const [newest] = availableServers();
    server = await startExternalServer(newest?.bin as string, dir);
    const admin = await Client.connect(parseConnectionString(server.url('admin')));
    await admin.exec("alter system set max_slot_wal_keep_size = '1GB'");
    await admin.exec('select pg_reload_conf()');
    await admin.connection.close();
    nats = bus === 'nats' ? await startNats({ jetStream: true }) : undefined;
    nodes = [await start('one'), await start('two')];
    await nodes[0]?.database.pool('postgres').exec(`
      create table public.rows (id int primary key);
      grant all on public.rows to anon;
      alter publication supabase_realtime add table public.rows`);
    for (const { url, keys } of nodes) {
      const client = createClient(url, keys.publishableKey);
      clients.push(client);
      await new Promise<void>((resolve) => {
        client
          .channel('rows')
          .on('postgres_changes', { event: '*', schema: 'public', table: 'rows' }, () => undefined)
          .subscribe((status) => status === 'SUBSCRIBED' && resolve());
      });
    }
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await Promise.all(clients.map((client) => client.realtime.disconnect()));
    await Promise.all(nodes.map((backend) => backend.stop()));
    await nats?.stop();
    await server?.stop();
    folder.remove();
  });

  async function start(name: string): Promise<Backend> {
    const projectDir = join(folder.path, name);
    mkdirSync(join(projectDir, 'supabase'), { recursive: true });
    writeFileSync(join(projectDir, 'supabase', 'config.toml'), 'project_id = "readers"\n');
    const settings = nats === undefined ? 'bus = "postgres"' : `bus = "nats"\nnats_url = "${nats.url}"`;
    writeFileSync(join(projectDir, 'supabase', 'plinth.toml'), `[realtime]\n${settings}\n`);
    const backend = await createBackend({
      ...{ projectDir, dataDir: join(projectDir, '.plinth'), mode: 'production' },
      ...{ databaseUrl: server.url('admin'), exclude: ['storage', 'functions'] },
      ...{ port: 0, consolePort: 0, mailPort: 0 },
    });
    await backend.start();
    return backend;
  }

  const readers = async (from = 0) => {
    const listed = (await nodes[from]?.nodes()) ?? [];
    return listed.map(({ slot, facts }) => ({
      reads: slot !== null,
      forGroup: facts?.realtime?.readsForGroup,
      hasLag: typeof slot?.lagBytes === 'number' && slot.lagBytes >= 0,
      sockets: facts?.realtime?.sockets,
    }));
  };

  test('show which node reads changes, and how far it is behind', async () => {
    if (bus === 'postgres') {
      const own = { reads: true, forGroup: false, hasLag: true, sockets: 1 };
      await expect.poll(() => readers()).toEqual([own, own]);
      return;
    }
    const reader = { reads: true, forGroup: true, hasLag: true, sockets: 1 };
    const other = { reads: false, forGroup: false, hasLag: false, sockets: 1 };
    const sorted = async () =>
      (await readers()).sort((left, right) => Number(right.reads) - Number(left.reads));
    await expect.poll(sorted).toEqual([reader, other]);
    // If the reader is stopped, the other node takes over.
    const first = (await readers())[0]?.reads === true ? 0 : 1;
    await nodes[first]?.stop();
    await expect.poll(() => readers(1 - first)).toEqual([reader]);
  });
});
