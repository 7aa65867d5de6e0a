/**
 * Reads pg_stat_statements every minute and stores what has changed. Only one process of a group takes samples, because
 * all nodes see the same statistics.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from '../../../base/kernel/log.ts';
import type { Pool, Queryable } from '../../../platform/database/types.ts';
import { storableText } from '../queries-page/core/outline.ts';
import { hasStatistics, serviceRoles } from '../queries-page/queries.ts';
import { byEntry, callsOf, keyOf, selected } from './core/selection.ts';
import type { Counter } from './core/totals.ts';
import * as queries from './sample-queries.ts';

export interface SamplerDeps {
  /** A pool whose connections log in as `postgres`. */
  readonly pool: Pool;
  /** A pool of the superuser, which can write to `_plinth`. */
  readonly db: Pool;
  /** Whether other nodes use the same database. */
  readonly isShared: boolean;
  /** Whether PostgreSQL runs on this machine, so that its clock is the same. */
  readonly isEmbedded: boolean;
  /** When this process started, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: Logger;
}

export interface Sampler {
  start(): void;
  /** Waits for the current sample and lets another node continue. */
  stop(): Promise<void>;
  /** Takes a sample unless the last one is recent. Errors are logged. */
  refresh(): Promise<void>;
}

const everyMs = 60_000;
/** Samples that operators request by opening a page are at least this far apart. */
const minPauseMs = 5000;
/** Another node continues if this node hasn't taken a sample for this time. */
const leaseMs = 150_000;
/** The number of statements whose kind is remembered. pg_stat_statements contains 5,000 statements by default. */
const maxKnown = 20_000;

/** Returns whether a role belongs to Plinth's services. */
export const isService = (role: string): boolean => new RegExp(serviceRoles).test(role);

export function createSampler({ pool, db, isShared, isEmbedded, startedAt, now, log }: SamplerDeps): Sampler {
  const holder = randomUUID();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let ranAt = Number.NEGATIVE_INFINITY;
  let isFailing = false;
  let isStopped = false;
  let isStartMarked = false;
  let withTimes: boolean | undefined;
  /** The last reading whose calls were stored. Undefined if this process hasn't taken the last sample. */
  let last: { readonly at: number; readonly entries: ReadonlyMap<string, Counter> } | undefined;
  /** The calls of entries that PostgreSQL has created since this time weren't counted by an earlier process. */
  let newSince = isEmbedded ? startedAt : Number.POSITIVE_INFINITY;
  let lastMigrations = '';
  let lastHour = '';
  /** The kinds of statements, by their ID and role. `own` statements of Plinth are never stored. */
  const known = new Map<string, 'own' | 'unstored' | 'stored'>();

  async function sample(): Promise<void> {
    if (!isStartMarked) await queries.markStart(db, holder, startedAt);
    isStartMarked = true;
    const lease = await queries.takeLease(db, { holder, leaseMs, takesOver: !isShared });
    if (lease === undefined || !(await hasStatistics(pool))) return begin();
    const versions = await queries.readMigrations(pool);
    withTimes ??= await queries.hasEntryTimes(pool);
    const entries = await queries.readEntries(pool, withTimes);
    const at = now();
    // After a long interruption, the calls would belong to an unknown time.
    if (last !== undefined && at - last.at > leaseMs) begin();
    const changes =
      last === undefined
        ? callsOf(
            new Map(),
            entries.filter(({ since }) => since !== null && since >= newSince),
          )
        : callsOf(last.entries, entries);
    const texts = await textsOf(changes.filter((each) => !known.has(keyOf(each))));
    const { kept, others } = selected(
      changes.filter((each) => (known.get(keyOf(each)) ?? 'own') !== 'own'),
      isService,
    );
    const isMissing = (each: queries.Sample): boolean =>
      known.get(keyOf(each)) === 'unstored' && !texts.has(keyOf(each));
    for (const [key, text] of await textsOf(kept.filter(isMissing))) texts.set(key, text);
    const isStored = await db.transaction((tx) =>
      store(tx, { kept, others, texts, versions, isFirst: lease.isFirst }),
    );
    if (!isStored) return begin();
    last = { at, entries: byEntry(entries) };
    lastMigrations = versions.join();
    // The text of a statement whose row was deleted must be stored again.
    if (lastHour !== hourOf(at) || known.size > maxKnown) known.clear();
    lastHour = hourOf(at);
    for (const each of kept) known.set(keyOf(each), 'stored');
  }

  /** Makes the next reading the first one, because the calls until then belong to another process or an unknown time. */
  function begin(): void {
    last = undefined;
    newSince = Number.POSITIVE_INFINITY;
    known.clear();
  }

  /** Reads the texts of statements, by their ID and role, and finds out which statements are Plinth's own. */
  async function textsOf(
    statements: readonly { readonly id: string; readonly role: string }[],
  ): Promise<Map<string, string>> {
    const texts = new Map<string, string>();
    if (statements.length === 0) return texts;
    for (const each of await queries.readTexts(pool, [...new Set(statements.map(({ id }) => id))])) {
      if (known.get(keyOf(each)) !== 'stored') known.set(keyOf(each), each.isOwn ? 'own' : 'unstored');
      if (!each.isOwn) texts.set(keyOf(each), storableText(each.text));
    }
    return texts;
  }

  interface Found {
    readonly kept: readonly queries.Sample[];
    readonly others: readonly queries.Sample[];
    readonly texts: ReadonlyMap<string, string>;
    readonly versions: readonly string[];
    readonly isFirst: boolean;
  }

  /** Returns false if another process has taken the lease. */
  async function store(tx: Queryable, { kept, others, texts, versions, isFirst }: Found): Promise<boolean> {
    if (!(await queries.lockLease(tx, holder))) return false;
    if (versions.join() !== lastMigrations) await queries.markMigrations(tx, versions, isFirst);
    if (kept.length > 0) {
      await queries.saveStatements(
        tx,
        kept.map((each) => ({ id: each.id, role: each.role, text: texts.get(keyOf(each)) ?? '' })),
      );
      await queries.addSamples(tx, [...kept, ...others].map(sampleOf));
    }
    if (hourOf(now()) === lastHour) return true;
    await queries.addUpHours(tx);
    await queries.deleteOld(tx);
    return true;
  }

  const run = (): Promise<void> => {
    if (isStopped) return Promise.resolve();
    running ??= sample()
      .then(() => {
        isFailing = false;
      })
      .catch((error: unknown) => {
        // The texts weren't stored. The calls are part of the next sample.
        known.clear();
        if (!isFailing && !isStopped) log.warn({ error }, "the statistics of statements weren't stored");
        isFailing = true;
      })
      .finally(() => {
        ranAt = performance.now();
        running = undefined;
      });
    return running;
  };

  return {
    start() {
      void run();
      timer = setInterval(() => void run(), everyMs).unref();
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await running;
      if (last !== undefined && isShared) await queries.endLease(db, holder).catch(() => undefined);
    },
    refresh: () => (performance.now() - ranAt < minPauseMs ? Promise.resolve() : run()),
  };
}

/** The hour of a time, in UTC. */
const hourOf = (at: number): string => new Date(at).toISOString().slice(0, 13);

const sampleOf = ({ id, role, calls, rows, totalMs, squares }: queries.Sample): queries.Sample => ({
  ...{ id, role, calls, rows, totalMs, squares },
});
