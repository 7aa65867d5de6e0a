/**
 * Starts the servers of a group: PostgreSQL with a synchronous standby, NATS with JetStream, an S3 server, the nodes and
 * HAProxy. A line of the drill names the parts that it needs.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  availableServers,
  type ExternalServer,
  startExternalServer,
} from '../../test/database/external-server.ts';
import { startNats, type TestNats } from '../../test/realtime/nats-server.ts';
import { type S3Process, startS3 } from '../backup/s3-process.ts';
import { type Balancer, startBalancer } from './haproxy.ts';
import { createNode, type Node, type Status } from './node.ts';
import { type Pooler, startPooler } from './pooler.ts';

export interface WorldOptions {
  readonly standby?: boolean;
  readonly nats?: boolean;
  readonly balancer?: boolean;
  readonly pooler?: boolean;
  /** The account of the nodes: the server's superuser, or the owner of the database without special privileges. */
  readonly user?: 'admin' | 'app';
  /** Statements that run as the superuser before the nodes are used. */
  readonly schema?: string;
}

export interface World {
  readonly folder: string;
  readonly primary: ExternalServer;
  readonly standby: ExternalServer | undefined;
  readonly nats: TestNats | undefined;
  readonly s3: S3Process;
  readonly nodes: readonly [Node, Node, Node];
  readonly balancer: Balancer | undefined;
  readonly pooler: Pooler | undefined;
  readonly keys: Status;
  /** The time until all three nodes, which were started concurrently, were ready. */
  readonly startSeconds: number;
  /** Opens a connection to the database as the superuser. With a standby, the connection goes to the primary. */
  connect(): Promise<pg.Client>;
  /** Registers a function that is called when the world stops. */
  readonly onStop: OnStop;
}

/** The table that most lines write to. Everyone can read it, and its changes are published. */
export const rowsTable = `
  create table public.rows (id bigint primary key, note text not null default 'x');
  alter table public.rows enable row level security;
  create policy everyone on public.rows using (true) with check (true);
  grant all on public.rows to anon, authenticated, service_role;
  alter publication supabase_realtime add table public.rows;
  notify pgrst, 'reload schema'`;

export const secret = 'the secret that all nodes of the drill have';

export type OnStop = (stop: () => unknown) => void;

/**
 * Creates a folder, and passes it to `use` together with a function that registers what must be stopped afterward, even
 * if `use` fails.
 */
export async function inFolder<T>(use: (folder: string, onStop: OnStop) => Promise<T>): Promise<T> {
  const stops: (() => unknown)[] = [];
  try {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-drill-'));
    // The folder must be readable by the unprivileged user that runs PostgreSQL.
    chmodSync(folder, 0o755);
    stops.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
    return await use(folder, (stop) => void stops.push(stop));
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

/** Starts a world, passes it to `use`, and stops it, even if `use` fails. */
export const inWorld = <T>(options: WorldOptions, use: (world: World) => Promise<T>): Promise<T> =>
  inFolder(async (folder, onStop) => use(await build(folder, options, onStop)));

async function build(folder: string, options: WorldOptions, onStop: OnStop): Promise<World> {
  const { primary, standby, url } = await startDatabase(folder, options, onStop);
  const nats = options.nats ? await startNats({ jetStream: true }) : undefined;
  if (nats !== undefined) onStop(() => nats.stop());
  const s3 = await startS3();
  onStop(() => s3.stop());
  const pooler = options.pooler ? await startPooler(folder, primary) : undefined;
  if (pooler !== undefined) onStop(() => pooler.stop());
  const databases =
    pooler === undefined ? { databaseUrl: url } : { databaseUrl: pooler.url, databaseDirectUrl: url };
  const create = (name: string): Promise<Node> =>
    createNode({ ...databases, folder: join(folder, name), secret, settings: settingsOf(s3, nats) });
  const nodes = [await create('node1'), await create('node2'), await create('node3')] as const;
  onStop(() => Promise.all(nodes.map((node) => node.kill())));
  const startedAt = performance.now();
  await Promise.all(nodes.map((node) => node.start()));
  const startSeconds = (performance.now() - startedAt) / 1000;
  const ports = nodes.map((node) => node.ports);
  const balancer = options.balancer ? await startBalancer(folder, ports) : undefined;
  if (balancer !== undefined) onStop(() => balancer.stop());
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(primary.url('admin', 'app'));
    client.on('error', () => {});
    await client.connect();
    onStop(() => client.end().catch(() => {}));
    return client;
  };
  const client = await connect();
  await client.query(options.schema ?? rowsTable);
  // The nodes reload their schema within a moment of the notification.
  await sleep(1000);
  const servers = { primary, standby, nats, s3, pooler, balancer };
  return { folder, ...servers, nodes, startSeconds, connect, onStop, keys: await nodes[0].status() };
}

/** Starts PostgreSQL with the database `app`, and returns the URL for the nodes. */
export async function startDatabase(
  folder: string,
  { standby: hasStandby, user = 'admin' }: WorldOptions,
  onStop: OnStop,
) {
  const [newest] = availableServers();
  const own = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o755 });
    return path;
  };
  const limits = {
    max_connections: 400,
    max_wal_senders: 20,
    max_replication_slots: 20,
    max_slot_wal_keep_size: '2GB',
  };
  const synchronous: Record<string, string> = hasStandby ? { synchronous_standby_names: 'standby' } : {};
  const primary = await startExternalServer(newest?.bin as string, own('primary'), {
    ...limits,
    ...synchronous,
  });
  onStop(() => primary.crash());
  const standby = hasStandby ? await primary.standby(own('standby'), limits) : undefined;
  if (standby !== undefined) onStop(() => standby.crash());
  const client = new pg.Client(primary.url('admin'));
  await client.connect();
  await client.query("create role app login createrole bypassrls password 'secret'");
  await client.query(`create database app owner ${user}`);
  await client.end();
  const hosts = [primary, standby].flatMap((server) => (server ? [`127.0.0.1:${server.port}`] : []));
  const url = `postgresql://${user}:secret@${hosts.join(',')}/app?target_session_attrs=read-write`;
  return { primary, standby, url };
}

export const settingsOf = (s3: S3Process, nats?: TestNats): string =>
  [
    '[server]\ndrain = "3s"\ntrusted_proxies = ["127.0.0.1/32"]',
    nats && `[realtime]\nbus = "nats"\nnats_url = "${nats.url}"`,
    `[storage]\nbackend = "s3"\n[storage.s3]\nbucket = "backups"\nendpoint = "${s3.endpoint}"\n` +
      'region = "us-east-1"\nforce_path_style = true\naccess_key_id = "S3RVER"\nsecret_access_key = "S3RVER"',
  ]
    .filter(Boolean)
    .join('\n');
