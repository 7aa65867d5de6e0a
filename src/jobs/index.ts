/**
 * Runs the work that SQL requests from this process: pg_net requests, database webhooks, pg_cron jobs and requests from
 * the http extension. Pending work is stored in the database so that several processes can share it and a crash loses
 * nothing (docs/decisions/0025-jobs.md).
 */
import { createHash } from 'node:crypto';
import type { Config } from '../config/index.ts';
import type { Database } from '../database/types.ts';
import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import { sql } from '../kernel/sql.ts';
import { type Bridge, openBridge } from './bridge/server.ts';
import { type CronCounts, createScheduler } from './cron/scheduler.ts';
import { createExchanges } from './exchange.ts';
import { handleHttp } from './http/handle-http.ts';
import { createSender, type NetCounts } from './net/sender.ts';

export interface JobsDeps {
  readonly database: Database;
  readonly config: Config;
  readonly mode: 'development' | 'production';
  /** This server's URL as clients know it. */
  readonly apiUrl: () => string;
  /** This server's URL on this machine, once it listens. */
  readonly localUrl: Promise<string>;
  readonly log: Logger;
}

export interface Jobs extends Service {
  /** Returns counters since startup in Prometheus text format. */
  prometheus(): string;
}

export function createJobs({ database, config, mode, apiUrl, localUrl, log }: JobsDeps): Jobs {
  const privateHosts = config.plinth.jobs.private_hosts.map((host) => host.toLowerCase());
  let localOrigin = '';
  const exchanges = createExchanges(() => ({
    mode,
    privateHosts,
    publicOrigin: new URL(apiUrl()).origin,
    localOrigin,
    projectPort: config.api.port,
  }));
  const net: NetCounts = { answered: 0, failed: 0 };
  const sender = createSender({ database, exchanges, log, counts: net });
  const cron: CronCounts = { succeeded: 0, failed: 0 };
  const scheduler = createScheduler({ database, log, counts: cron });
  let bridge: Promise<Bridge | undefined> | undefined;
  const open = async (): Promise<Bridge | undefined> => {
    const { socketDir } = database.info;
    if (socketDir === undefined) return undefined;
    try {
      return await openBridge({
        socketDir,
        number: await bridgeNumber(database),
        answerer: (question, signal) => handleHttp(exchanges, question, signal),
        log,
      });
    } catch (error) {
      log.warn({ error }, "The http extension can't connect to this process, so its requests will fail");
      return undefined;
    }
  };
  return {
    name: 'jobs',
    mounts: [],
    prometheus: () => prometheusText({ pg_net: net, pg_cron: cron }),
    async start() {
      // A database that Plinth doesn't manage has its own workers.
      if (!database.info.ownsSchemas) return;
      // Queued requests may be addressed to this server.
      void localUrl.then((url) => {
        localOrigin = new URL(url).origin;
        bridge = open();
        sender.start();
        scheduler.start();
      });
    },
    async stop() {
      await Promise.all([sender.stop(), scheduler.stop()]);
      await (await bridge)?.close();
    },
  };
}

function prometheusText(counts: Readonly<Record<string, object>>): string {
  const lines = Object.entries(counts).flatMap(([kind, outcomes]) =>
    Object.entries(outcomes).map(
      ([outcome, count]) => `plinth_jobs_total{kind="${kind}",outcome="${outcome}"} ${count}\n`,
    ),
  );
  const head = [
    '# HELP plinth_jobs_total Requests of pg_net and runs of pg_cron that ended in this process.\n',
    '# TYPE plinth_jobs_total counter\n',
  ];
  return [...head, ...lines].join('');
}

/** Computes the same number as the database functions (`http--1.6.sql`). */
async function bridgeNumber(database: Database): Promise<number> {
  const [row] = await database
    .pool('postgres')
    .query<{ name: string }>(sql`select current_database()::text as name`);
  const hash = createHash('md5')
    .update(row?.name ?? '')
    .digest();
  return hash.readUInt16BE(0) | 1;
}
