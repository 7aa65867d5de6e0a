/** Starts the realtime service on a separate port, with a database that is cloned for the test file. */
import { createHmac, randomUUID } from 'node:crypto';
import { createClient, type RealtimeChannel, type SupabaseClient } from '@supabase/supabase-js';
import type { Clock } from '../../src/base/kernel/clock.ts';
import { type Logger, silentLogger } from '../../src/base/kernel/log.ts';
import type { HealthCheck } from '../../src/base/kernel/service.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { configFrom, createLiveConfig, type PartialConfig } from '../../src/platform/config/index.ts';
import { createTestDatabase, type TestServerAddress } from '../../src/platform/database/testing.ts';
import type { Database } from '../../src/platform/database/types.ts';
import { createKeys, type KeyStore } from '../../src/platform/keys/index.ts';
import { createGateway } from '../../src/server/gateway/index.ts';
import {
  createRealtime,
  type Limits,
  migrations,
  type RealtimeDeps,
} from '../../src/services/realtime/index.ts';
import type { RealtimeService } from '../../src/services/realtime/types.ts';

export interface Harness {
  readonly url: string;
  readonly keys: KeyStore;
  readonly database: Database;
  /** The address of the database server, for other connections to the database. */
  readonly place: TestServerAddress;
  readonly databaseName: string;
  /** Runs statements as `postgres`, the role that also runs a project's migrations. */
  sql(text: string): Promise<void>;
  /** Returns a stock client that is signed in as `userId`, or not signed in if `userId` is omitted. */
  client(userId?: string): SupabaseClient;
  /** Returns a stock client with the secret key. */
  serviceClient(): SupabaseClient;
  /** Returns a stock client that connects to another address, such as that of a load balancer. */
  clientAt(url: string, userId?: string): SupabaseClient;
  /** Returns a token for a user. */
  token(userId: string, claims?: Record<string, unknown>): string;
  socketUrl(key?: string, version?: string): string;
  health(): string | undefined;
  check(): ReturnType<HealthCheck>;
  readonly deliveryChecks: RealtimeService['deliveryChecks'];
  readonly report: RealtimeService['report'];
  /** Starts a second process on the same database. By default, its settings are those of the first process. */
  another(options?: HarnessOptions, place?: TestServerAddress): Promise<Served>;
  /** Stops serving like a server that receives a stop signal, while the clients are connected. */
  end(drainMs: number): Promise<void>;
  stop(): Promise<void>;
}

/** The harness without the properties that only the creator of the database has. */
export type Served = Omit<Harness, 'place' | 'databaseName'>;

export interface HarnessOptions {
  /** `[realtime]` in plinth.toml. */
  readonly settings?: NonNullable<PartialConfig['plinth']>['realtime'];
  readonly limits?: Partial<Limits>;
  readonly clock?: Clock;
  /** The monotonic clock. Defaults to `clock`. */
  readonly uptime?: () => number;
  readonly log?: Logger;
  readonly port?: number;
  /** The folder of the additional API keys. */
  readonly dataDir?: string;
  /** The project folder, which contains the signing keys that `keyFile` names. */
  readonly supabaseDir?: string;
  readonly keyFile?: string;
  readonly lease?: RealtimeDeps['lease'];
  readonly streamIdleMs?: number;
}

export async function startRealtime(options: HarnessOptions = {}): Promise<Harness> {
  const test = await createTestDatabase('realtime', (db) => db.migrate([migrations]));
  const { place, name: databaseName } = test;
  const started = await serve(test.database, options, test.another, async () => {
    // The server doesn't detect immediately that a stream has ended. A slot can also be left for another process.
    const admin = test.database.pool('supabase_admin');
    for (;;) {
      const slots = await admin.query<{ name: string; active: boolean }>(
        sql`select slot_name as name, active from pg_replication_slots where database = current_database()`,
      );
      if (slots.length === 0) break;
      for (const { name, active } of slots)
        if (!active) await admin.query(sql`select pg_drop_replication_slot(${name})`);
    }
    await test.drop();
  });
  return { ...started, place, databaseName };
}

/** Starts the realtime service on an existing database. */
export async function serve(
  database: Database,
  options: HarnessOptions,
  another: (place?: TestServerAddress) => Promise<Database>,
  drop: () => Promise<void>,
): Promise<Served> {
  const { dataDir = '/nowhere', supabaseDir = '/nowhere', keyFile } = options;
  const auth = keyFile === undefined ? {} : { auth: { signing_keys_path: keyFile } };
  const config = configFrom({ ...auth, plinth: { realtime: options.settings ?? {} } }, supabaseDir);
  const keys = createKeys({ mode: 'development', config, supabaseDir, dataDir });
  const log = options.log ?? silentLogger;
  const limits = { joinErrorDelayMs: 10, connectErrorDelayMs: 10, ...options.limits };
  const service = createRealtime({
    database,
    keys,
    config: createLiveConfig(config),
    log,
    limits,
    clock: options.clock,
    uptime: options.uptime ?? options.clock?.now,
    lease: options.lease,
    ...(options.streamIdleMs === undefined ? {} : { streamIdleMs: options.streamIdleMs }),
  });
  const gateway = createGateway({ services: [service], keys, log });
  await service.start?.();
  const port = await gateway.listen('127.0.0.1', options.port ?? 0);
  const url = `http://127.0.0.1:${port}`;
  const clients = new Set<SupabaseClient>();
  const token = (userId: string, claims: Record<string, unknown> = {}): string =>
    signed(keys.jwtSecret, { sub: userId, role: 'authenticated', exp: inAnHour(), ...claims });
  const clientAt = (address: string, userId?: string): SupabaseClient => {
    const session = userId === undefined ? undefined : token(userId, { session_id: randomUUID() });
    const options = session === undefined ? {} : { accessToken: async () => session };
    const client = createClient(address, keys.publishableKey, options);
    clients.add(client);
    return client;
  };
  return {
    url,
    keys,
    database,
    // Test clusters commit asynchronously, which would delay changes by up to 200 ms.
    sql: (text) => database.pool('postgres').exec(`set synchronous_commit = on; ${text}`),
    token,
    client: (userId) => clientAt(url, userId),
    clientAt,
    serviceClient() {
      const client = createClient(url, keys.secretKey);
      clients.add(client);
      return client;
    },
    socketUrl(key = keys.anonKey, version = '2.0.0') {
      return `ws://127.0.0.1:${port}/realtime/v1/websocket?apikey=${encodeURIComponent(key)}&vsn=${version}`;
    },
    health: () => service.health?.(),
    check: async () => service.check?.(),
    deliveryChecks: service.deliveryChecks,
    report: service.report,
    async another(own, place) {
      const second = await another(place);
      return serve(second, { ...options, port: 0, ...own }, another, () => second.stop());
    },
    async end(drainMs) {
      await service.drain?.(drainMs);
      await gateway.close(1000);
      await service.stop?.();
    },
    async stop() {
      for (const client of clients) await client.realtime.disconnect();
      await gateway.close(1000);
      await service.stop?.();
      await drop();
    },
  };
}

const inAnHour = (): number => Math.floor(Date.now() / 1000) + 3600;

export function signed(secret: string, claims: Record<string, unknown>): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const body = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`;
}

/**
 * Subscribes to the channel and waits until it has been joined. Throws the client's error if the join is rejected. If
 * the token was set manually, set `asksToken` to false.
 */
export async function joined(channel: RealtimeChannel, asksToken = true): Promise<RealtimeChannel> {
  // Without this call, the stock client could join before it has the token, and send the token later.
  if (asksToken) await channel.socket.setAuth();
  return new Promise((resolve, reject) => {
    channel.subscribe((status, error) => {
      if (status === 'SUBSCRIBED') resolve(channel);
      else if (status === 'CHANNEL_ERROR') reject(error ?? new Error('channel error'));
      else if (status === 'TIMED_OUT') reject(new Error('join timed out'));
    });
  });
}

/** Joins a channel with postgres_changes and waits for the notification that changes will be delivered. */
export async function subscribed(channel: RealtimeChannel): Promise<RealtimeChannel> {
  const outcome = new Promise<void>((resolve, reject) => {
    channel.on('system', {}, (payload: { extension?: string; status: string; message: string }) => {
      if (payload.extension !== 'postgres_changes') return;
      if (payload.status === 'ok') resolve();
      else reject(new Error(payload.message));
    });
  });
  outcome.catch(() => undefined);
  await joined(channel);
  await outcome;
  return channel;
}

/** Polls until the function returns a value, and returns it. Only the test's timeout limits the wait. */
export async function until<T>(look: () => T | undefined | false): Promise<T> {
  for (;;) {
    const value = look();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
