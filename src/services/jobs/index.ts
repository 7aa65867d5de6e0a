/**
 * Performs the work that SQL code requests: pg_net requests, database webhooks, pg_cron jobs and requests from the http
 * extension. Pending work is stored in the database, so several processes can share the work and no work is lost in a
 * crash (docs/decisions/0025-jobs.md).
 */
import { createHash } from 'node:crypto';
import type { Logger } from '../../base/kernel/log.ts';
import type { Sample } from '../../base/kernel/metrics/values.ts';
import type { Service } from '../../base/kernel/service.ts';
import { sql } from '../../base/kernel/sql.ts';
import type { CountedWorker } from '../../base/shared/worker.ts';
import type { LiveConfig } from '../../platform/config/index.ts';
import type { Database } from '../../platform/database/types.ts';
import { type Handlers, routeByKind } from './bridge/kinds.ts';
import { type Bridge, openBridge } from './bridge/server.ts';
import { type CronCounts, createScheduler } from './cron/scheduler.ts';
import { createExchanges } from './exchange.ts';
import { handleHttp } from './http/handle-http.ts';
import { queuedRequests } from './net/queries.ts';
import { createSender, type NetCounts } from './net/sender.ts';

export interface JobsDeps {
  readonly database: Database;
  readonly config: LiveConfig;
  readonly mode: 'development' | 'production';
  /** Returns this server's URL for clients. */
  readonly apiUrl: () => string;
  /** Resolves to the URL at which this machine can reach this server, once the server accepts connections. */
  readonly localUrl: Promise<string>;
  /** Handles the questions of functions of other extensions, by the kind of question. */
  readonly handlers?: Handlers;
  readonly log: Logger;
}

export interface JobsService extends Service {
  /**
   * Starts to answer the questions of database functions. Called before the project's migrations run, because they can
   * call these functions.
   */
  answerQuestions(): Promise<void>;
  /** Returns the number of cron jobs and requests of pg_net that this process is running. */
  running(): { readonly cron: number; readonly requests: number };
}

export function createJobs({
  database,
  config,
  mode,
  apiUrl,
  localUrl,
  handlers,
  log,
}: JobsDeps): JobsService {
  const privateHosts = config.derive(({ plinth }) =>
    plinth.jobs.private_hosts.map((host) => host.toLowerCase()),
  );
  let localOrigin: string | undefined;
  const exchanges = createExchanges(() => ({
    mode,
    privateHosts: privateHosts(),
    publicOrigin: new URL(apiUrl()).origin,
    localOrigin,
    projectPort: config.current.api.port,
  }));
  const net: NetCounts = { answered: 0, failed: 0 };
  const sender = createSender({ database, exchanges, log, counts: net });
  const cron: CronCounts = { succeeded: 0, failed: 0 };
  const scheduler = createScheduler({ database, log, counts: cron });
  let bridge: Bridge | undefined;
  const openIfPossible = async (): Promise<Bridge | undefined> => {
    const { socketDir } = database.info;
    if (socketDir === undefined) return undefined;
    try {
      return await openBridge({
        socketDir,
        number: await bridgeNumber(database),
        handler: routeByKind({
          http: (question, signal) => handleHttp(exchanges, question, signal),
          ...handlers,
        }),
        log,
      });
    } catch (error) {
      log.warn(
        { error },
        "The extensions http and pg_graphql can't connect to this process, so their requests will fail",
      );
      return undefined;
    }
  };
  return {
    name: 'jobs',
    mounts: [],
    running: () => ({ cron: scheduler.startTimes().length, requests: sender.startTimes().length }),
    metrics: async () => ({
      plinth_jobs_total: [...outcomes('pg_net', net), ...outcomes('pg_cron', cron)],
      plinth_jobs_running: [
        [['pg_net'], sender.startTimes().length],
        [['pg_cron'], scheduler.startTimes().length],
      ],
      plinth_jobs_oldest_running_seconds: [
        [['pg_net'], oldestSeconds(sender)],
        [['pg_cron'], oldestSeconds(scheduler)],
      ],
      plinth_jobs_queued: await queuedRequests(database.pool('postgres')).catch(() => undefined),
    }),
    async answerQuestions() {
      if (database.info.ownsSchemas) bridge = await openIfPossible();
    },
    async start() {
      // If Plinth doesn't manage the database, the database provider's own workers run jobs and send requests.
      if (!database.info.ownsSchemas) return;
      // Queued requests may be addressed to this server, so they are sent only after the server accepts connections.
      void localUrl.then((url) => {
        localOrigin = new URL(url).origin;
        sender.start();
        scheduler.start();
      });
    },
    async stop() {
      await Promise.all([sender.stop(), scheduler.stop()]);
      await bridge?.close();
    },
  };
}

const oldestSeconds = (worker: CountedWorker): number => {
  const now = performance.now();
  return (now - Math.min(now, ...worker.startTimes())) / 1000;
};

const outcomes = (kind: string, counts: NetCounts | CronCounts): Sample[] =>
  Object.entries(counts).map(([outcome, count]) => [[kind, outcome], count]);

/** Returns the number in the socket's file name. The database functions of the extensions compute the same number. */
async function bridgeNumber(database: Database): Promise<number> {
  const [row] = await database
    .pool('postgres')
    .query<{ name: string }>(sql`select current_database()::text as name`);
  const hash = createHash('md5')
    .update(row?.name ?? '')
    .digest();
  return hash.readUInt16BE(0) | 1;
}
