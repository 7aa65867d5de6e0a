/**
 * The realtime service, which provides broadcast, presence and database changes over WebSocket. Implements the protocol
 * of realtime (August 2026) and realtime-js 2.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '../../base/kernel/clock.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { MetricValues } from '../../base/kernel/metrics/catalog.ts';
import type { Health } from '../../base/kernel/service.ts';
import type { LiveConfig } from '../../platform/config/index.ts';
import type { Database, MigrationSet, RequestClient } from '../../platform/database/types.ts';
import type { Keys } from '../../platform/keys/types.ts';
import { createGroupBus, createLocalBus } from './bus/group.ts';
import { createNatsTransport, createPostgresTransport } from './bus/transports.ts';
import type { Bus } from './bus/types.ts';
import { createFeed, type Feed, type FeedOptions } from './changes/feed.ts';
import { createChangeLog } from './changes/group/change-log.ts';
import { Deadlines } from './core/deadlines.ts';
import { RateAverage } from './core/rate.ts';
import { AnonymousSockets, MemoryUse } from './core/socket-limits.ts';
import { createDeliveryChecks } from './delivery-check/index.ts';
import { closes, overloadedBody } from './errors.ts';
import { createHub } from './hub.ts';
import { createPermissions } from './permissions.ts';
import { databaseIdentity, ensurePartitions, messagesSince } from './queries.ts';
import { createRoutes } from './routes.ts';
import { type Limits, limitsFrom } from './settings.ts';
import { newUuid } from './socket/channel.ts';
import type { OpenSocket, SocketContext } from './socket/context.ts';
import { createUpgrades } from './socket/upgrade.ts';
import { Taps } from './taps.ts';
import type { RealtimeReport, RealtimeService } from './types.ts';

export type { Limits } from './settings.ts';

export interface RealtimeDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: LiveConfig;
  readonly log: Logger;
  readonly clock?: Clock;
  /** A monotonic clock in milliseconds. */
  readonly uptime?: () => number;
  /** Limits that override the limits from the configuration. */
  readonly limits?: Partial<Limits>;
  /**
   * Each process of a group sends a message at least every `aliveMs` milliseconds. A process that doesn't send any
   * message for `leaseMs` milliseconds is considered stopped.
   */
  readonly lease?: { readonly aliveMs: number; readonly leaseMs: number };
  /** How long the stream of changes stays open after the last channel was left, in milliseconds. */
  readonly streamIdleMs?: number;
}

export const migrations: MigrationSet = { module: 'realtime', dir: new URL('./sql/', import.meta.url) };

const prefix = '/realtime/v1';
/** The interval for creating partitions. */
const upkeepMs = 60 * 60 * 1000;
/** The interval for dropping the slots of processes that were killed. */
const slotCheckMs = 10_000;
const clockJumpMs = 60_000;

export function createRealtime(deps: RealtimeDeps): RealtimeService {
  const { database, keys, log, clock = systemClock, uptime = () => performance.now() } = deps;
  const limits = deps.config.derive(({ plinth }): Limits => ({ ...limitsFrom(plinth), ...deps.limits }));
  const pool = (client?: RequestClient) => database.pool('supabase_realtime_admin', client);
  const presenceEvents = new RateAverage();
  const bus = createBus(deps, log);
  const taps = new Taps();
  const hub = createHub({
    bus,
    taps,
    nextRef: refGenerator(),
    onPresenceDeliveries: (count) => presenceEvents.add(uptime(), count),
  });
  const feed = createFeed({
    database,
    log,
    limits,
    publish: (subTopic, isPrivate, broadcast) => hub.deliver(subTopic, isPrivate, broadcast),
    taps,
    group: groupOf(deps),
    idleMs: deps.streamIdleMs,
  });
  const ctx: SocketContext = {
    clock,
    uptime,
    log,
    keys,
    get limits() {
      return limits();
    },
    hub,
    feed,
    permissions: createPermissions(database, log),
    messagesSince: (subTopic, sinceMs, limit, client) =>
      messagesSince(pool(client), subTopic, sinceMs, limit),
    connections: new Set<OpenSocket>(),
    idle: new Deadlines(uptime()),
    tokens: new Deadlines(clock.now()),
    events: new RateAverage(),
    joins: new RateAverage(1),
    anonymous: new AnonymousSockets(limits),
    memoryUse: new MemoryUse<OpenSocket>(limits),
    presenceEvents,
    counts: { received: 0, sent: 0, dropped: 0, joined: 0, rejectedJoins: 0, failedJoins: 0 },
    newUuid,
  };
  const upgrades = createUpgrades(ctx, `${prefix}/websocket`);
  let ticker: NodeJS.Timeout | undefined;
  let upkeepTimer: NodeJS.Timeout | undefined;
  let slotTimer: NodeJS.Timeout | undefined;
  let slotsChecked: Promise<void> | undefined;
  let partitionsKept: Promise<void> | undefined;

  const closeSockets = async (ms = 0): Promise<void> => {
    upgrades.stop();
    await feed.handOver();
    await closeGradually(ctx.connections, ms);
  };

  const keepPartitionsNow = (): void => {
    if (!database.info.ownsSchemas) return;
    partitionsKept = pool()
      .transaction(ensurePartitions, { settings: [['lock_timeout', '5s']] })
      .catch((error: unknown) =>
        log.warn({ error }, 'failed to maintain the partitions of realtime.messages; retrying in an hour'),
      );
  };

  const checkSlots = (): void => {
    slotsChecked ??= feed
      .checkSlots()
      .catch((error: unknown) => log.debug({ error }, 'failed to inspect the replication slots'))
      .finally(() => {
        slotsChecked = undefined;
      });
  };

  let clockOffset = clock.now() - uptime();
  let keysGeneration = keys.generation();

  /** Runs once per second. Handles deadlines and limits the data queued for slow readers. */
  const tick = (): void => {
    const time = clock.now();
    for (const connection of ctx.idle.takeDue(uptime())) connection.checkIdle();
    for (const channel of ctx.tokens.takeDue(time)) channel.confirmToken();
    const generation = keys.generation();
    if (generation !== keysGeneration) {
      keysGeneration = generation;
      for (const connection of [...ctx.connections]) connection.confirmKeys();
    }
    const offset = time - uptime();
    // If the clock was changed, the date may be different, and messages are partitioned by day.
    if (Math.abs(offset - clockOffset) > clockJumpMs) keepPartitionsNow();
    clockOffset = offset;
    closeSlowest(ctx.connections, limits().maxBufferedBytesInAll);
  };

  return {
    name: 'realtime',
    mounts: [
      {
        prefix,
        plugin: createRoutes(ctx, closeSockets),
        cors: 'open',
        exposeHeaders: ['x-rate-rolling', 'x-rate-limit', 'x-rate-limit-remaining'],
        apiKeys: true,
        overloaded: [overloadedBody],
        upgrade: upgrades.handle,
      },
    ],
    async start() {
      ticker = setInterval(tick, 1000).unref();
      upkeepTimer = setInterval(keepPartitionsNow, upkeepMs).unref();
      slotTimer = setInterval(checkSlots, slotCheckMs).unref();
      keepPartitionsNow();
      checkSlots();
      await bus.start(hub.listener);
    },
    drain: (ms) => closeSockets(ms),
    async stop() {
      clearInterval(ticker);
      clearInterval(upkeepTimer);
      clearInterval(slotTimer);
      await closeSockets();
      hub.stop();
      await Promise.all([bus.stop(), feed.stop(), partitionsKept, slotsChecked]);
    },
    deliveryChecks: createDeliveryChecks(database, ctx),
    tap: (listener) => taps.add(listener),
    metrics: () => metricsOf(ctx, (feed.trouble ?? bus.trouble) !== undefined),
    report: () => reportOf(ctx, bus, feed),
    health: () => feed.trouble ?? bus.trouble,
    check: async () => checkOf(feed, bus),
  };
}

const reportOf = (ctx: SocketContext, bus: Bus, feed: Feed): RealtimeReport => ({
  sockets: ctx.connections.size,
  channels: channelCount(ctx),
  otherProcesses: bus.peers,
  busTrouble: bus.trouble,
  stream: feed.report,
});

function checkOf(feed: Feed, bus: Bus): Health | undefined {
  if (feed.trouble !== undefined)
    return {
      status: 'degraded',
      message: feed.shortage ?? "Database changes aren't delivered. For the reason, see the log.",
    };
  return bus.trouble === undefined
    ? undefined
    : { status: 'degraded', message: 'Other processes are unreachable. For the reason, see the log.' };
}

function channelCount({ connections }: SocketContext): number {
  let channels = 0;
  for (const connection of connections) channels += connection.channels.size;
  return channels;
}

const metricsOf = (ctx: SocketContext, isFailing: boolean): MetricValues => ({
  plinth_realtime_sockets: ctx.connections.size,
  plinth_realtime_channels: channelCount(ctx),
  plinth_realtime_topics: ctx.hub.topicCount,
  plinth_realtime_joins_total: [
    [['joined'], ctx.counts.joined],
    [['rejected'], ctx.counts.rejectedJoins],
    [['failed'], ctx.counts.failedJoins],
  ],
  plinth_realtime_messages_received_total: ctx.counts.received,
  plinth_realtime_messages_sent_total: ctx.counts.sent,
  plinth_realtime_messages_dropped_total: ctx.counts.dropped,
  plinth_realtime_failing: Number(isFailing),
});

/**
 * Creates the configured bus. By default, the bus uses PostgreSQL, except with the embedded database, because only one
 * process uses that database.
 */
function createBus({ config, database, keys, lease }: RealtimeDeps, log: Logger): Bus {
  const { bus = database.info.embedded ? 'process' : 'postgres', nats_url: url } =
    config.current.plinth.realtime;
  if (bus === 'process') return createLocalBus();
  const transport =
    bus === 'postgres'
      ? createPostgresTransport(database)
      : createNatsTransport({
          url: url ?? '',
          identity: () => databaseIdentity(database.pool('supabase_realtime_admin')),
          log,
        });
  return createGroupBus({ transport, secret: keys.jwtSecret, log, ...lease });
}

/** Returns the log in which the group's processes share changes. Undefined if the processes don't use NATS. */
function groupOf({ config, database, keys, log }: RealtimeDeps): FeedOptions['group'] {
  const { bus, nats_url: url = '' } = config.current.plinth.realtime;
  if (bus !== 'nats') return undefined;
  const identity = () => databaseIdentity(database.pool('supabase_realtime_admin'));
  return { changeLog: createChangeLog({ url, identity, log }), secret: keys.jwtSecret };
}

/**
 * Returns a function that generates references for presence metas. The references are short and unique across restarts.
 */
function refGenerator(): () => string {
  const start = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `${start}${(count++).toString(36)}`;
}

/** Closes all sockets at random times within `ms`, so that their clients don't reconnect simultaneously. */
async function closeGradually(connections: ReadonlySet<OpenSocket>, ms: number): Promise<void> {
  const closings = [...connections].map(async (connection) => {
    if (ms > 0) await sleep(Math.random() * ms * 0.9);
    connection.disconnect();
  });
  await Promise.all(closings);
}

/** Limits the total size of the data that is queued for slow readers. */
function closeSlowest(connections: ReadonlySet<OpenSocket>, maxBytes: number): void {
  let total = 0;
  for (const connection of connections) total += connection.bufferedBytes;
  if (total <= maxBytes) return;
  for (const connection of [...connections].sort((a, b) => b.bufferedBytes - a.bufferedBytes)) {
    if (total <= maxBytes) return;
    total -= connection.bufferedBytes;
    connection.close(...closes.slow);
  }
}
