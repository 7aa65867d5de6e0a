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

export interface WorldOptions {
  readonly standby?: boolean;
  readonly nats?: boolean;
  readonly balancer?: boolean;
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
  readonly keys: Status;
  /** The time until all three nodes, which were started concurrently, were ready. */
  readonly startSeconds: number;
  /** Opens a connection to the database as the superuser. With a standby, the connection goes to the primary. */
  connect(): Promise<pg.Client>;
  /** Registers a function that is called when the world stops. */
  onStop(stop: () => unknown): void;
  stop(): Promise<void>;
}

/** The table that most lines write to. Everyone can read it, and its changes are published. */
export const rowsTable = `
  create table public.rows (id bigint primary key, note text not null default 'x');
  alter table public.rows enable row level security;
  create policy everyone on public.rows using (true) with check (true);
  grant all on public.rows to anon, authenticated, service_role;
  alter publication supabase_realtime add table public.rows;
  notify pgrst, 'reload schema'`;

const secret = 'the secret that all nodes of the drill have';

/** Starts a world, passes it to `use`, and stops it, even if `use` fails. */
export async function inWorld<T>(options: WorldOptions, use: (world: World) => Promise<T>): Promise<T> {
  const stops: (() => unknown)[] = [];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    return await use(await build(options, stops, stop));
  } finally {
    await stop();
  }
}

async function build(options: WorldOptions, stops: (() => unknown)[], stop: World['stop']): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-drill-'));
  stops.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const { primary, standby, url } = await startDatabase(folder, options);
  stops.push(async () => {
    await standby?.crash();
    await primary.crash();
  });
  const nats = options.nats ? await startNats({ jetStream: true }) : undefined;
  if (nats !== undefined) stops.push(() => nats.stop());
  const s3 = await startS3();
  stops.push(() => s3.stop());
  const create = (name: string): Promise<Node> =>
    createNode({ folder: join(folder, name), databaseUrl: url, secret, settings: settingsOf(nats, s3) });
  const nodes = [await create('node1'), await create('node2'), await create('node3')] as const;
  stops.push(() => Promise.all(nodes.map((node) => node.kill())));
  const startedAt = performance.now();
  await Promise.all(nodes.map((node) => node.start()));
  const startSeconds = (performance.now() - startedAt) / 1000;
  const balancer = options.balancer
    ? await startBalancer(
        folder,
        nodes.map(({ ports }) => ports),
      )
    : undefined;
  if (balancer !== undefined) stops.push(() => balancer.stop());
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client(primary.url('admin', 'app'));
    client.on('error', () => {});
    await client.connect();
    stops.push(() => client.end().catch(() => {}));
    return client;
  };
  const client = await connect();
  await client.query(options.schema ?? rowsTable);
  // The nodes reload their schema within a moment of the notification.
  await sleep(1000);
  const world = { folder, primary, standby, nats, s3, nodes, balancer, startSeconds, connect, stop };
  return { ...world, keys: await nodes[0].status(), onStop: (each) => void stops.push(each) };
}

async function startDatabase(folder: string, { standby: hasStandby, user = 'admin' }: WorldOptions) {
  const [newest] = availableServers();
  const own = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path, { mode: 0o755 });
    return path;
  };
  // The folder must be readable by the unprivileged user that runs PostgreSQL.
  chmodSync(folder, 0o755);
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
  const standby = hasStandby ? await primary.standby(own('standby'), limits) : undefined;
  const client = new pg.Client(primary.url('admin'));
  await client.connect();
  await client.query("create role app login createrole bypassrls password 'secret'");
  await client.query(`create database app owner ${user}`);
  await client.end();
  const hosts = [primary, standby].flatMap((server) => (server ? [`127.0.0.1:${server.port}`] : []));
  const url = `postgresql://${user}:secret@${hosts.join(',')}/app?target_session_attrs=read-write`;
  return { primary, standby, url };
}

const settingsOf = (nats: TestNats | undefined, s3: S3Process): string =>
  [
    '[server]\ndrain = "3s"\ntrusted_proxies = ["127.0.0.1/32"]',
    nats && `[realtime]\nbus = "nats"\nnats_url = "${nats.url}"`,
    `[storage]\nbackend = "s3"\n[storage.s3]\nbucket = "backups"\nendpoint = "${s3.endpoint}"\n` +
      'region = "us-east-1"\nforce_path_style = true\naccess_key_id = "S3RVER"\nsecret_access_key = "S3RVER"',
  ]
    .filter(Boolean)
    .join('\n');
