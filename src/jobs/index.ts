/**
 * The work that SQL asks this process for: requests of pg_net, database webhooks, jobs of pg_cron, and the http
 * extension's. What is to be done is in the
 * database, so that several processes share it and a crash forgets nothing (docs/decisions/0025-jobs.md).
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
import { answerHttp } from './http/answer.ts';
import { createSender, type NetCounts } from './net/sender.ts';

export interface JobsDeps {
  readonly database: Database;
  readonly config: Config;
  readonly mode: 'development' | 'production';
  /** Our address as clients know it. */
  readonly apiUrl: () => string;
  /** The same as this machine reaches it, once we listen. */
  readonly localUrl: Promise<string>;
  readonly log: Logger;
}

export interface Jobs extends Service {
  /** What was done since the start, in Prometheus' text format. */
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
        answerer: (question, signal) => answerHttp(exchanges, question, signal),
        log,
      });
    } catch (error) {
      log.warn({ error }, 'The http extension has no way to this process; its requests will fail');
      return undefined;
    }
  };
  return {
    name: 'jobs',
    mounts: [],
    prometheus: () => prometheusText({ pg_net: net, pg_cron: cron }),
    async start() {
      // Somebody else's database has workers of its own.
      if (!database.info.ownsSchemas) return;
      // What waits in the queue may be for ourselves.
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

/** What the functions of the database work out for themselves (`http--1.6.sql`). */
async function bridgeNumber(database: Database): Promise<number> {
  const [row] = await database
    .pool('postgres')
    .query<{ name: string }>(sql`select current_database()::text as name`);
  const hash = createHash('md5')
    .update(row?.name ?? '')
    .digest();
  return hash.readUInt16BE(0) | 1;
}
