/** Counts the requests to each function per minute, with their errors and durations, for the last hour. */
import {
  addPackedCounts,
  packCounts,
  parseSavedCounts,
  type SavedCounts,
} from '../../base/shared/sparse-counts.ts';
import type { Invocation } from './invocations.ts';

export interface ActivityMinute {
  /** The beginning of the minute, in milliseconds since the epoch. */
  readonly at: number;
  readonly requests: number;
  /**
   * The number of responses with a status of at least 500. Responses for platform errors, such as a failed start, are
   * included.
   */
  readonly errors: number;
  /** The median duration, to within 10%. The value is null if no requests arrived in that minute. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

export interface FunctionActivity {
  /** Returns the minutes of the last hour, with the oldest minute first. */
  recent(slug: string, nowMs: number): ActivityMinute[];
  /** Like {@link recent}, for the sum of the counts of several nodes, as returned by {@link save}. */
  merged(saved: readonly unknown[], slug: string, nowMs: number): ActivityMinute[];
  /**
   * Returns all counts of the last hour in the format that {@link load} accepts: the slug and the minutes of each
   * function. A minute consists of its number, its request count, its error count and its packed duration classes.
   */
  save(nowMs: number): SavedCounts;
  /**
   * Adds saved counts. Ignores data in a different format, and minutes that are too old or
   * in the future.
   */
  load(saved: unknown, nowMs: number): void;
}

interface Bucket {
  readonly minute: number;
  requests: number;
  errors: number;
  /** The number of requests in each duration class. */
  readonly durations: Uint32Array;
}

const minuteMs = 60_000;
const shownMinutes = 60;
const maxKnownFunctions = 200;
/**
 * Each duration class is 20% wider than the previous class, so the middle of a class differs from any duration in the
 * class by at most 10%.
 */
const growth = 1.2;
/** The number of classes. The last class begins at 1.2^78 ms, which is about 25 minutes. */
const classes = 80;

/** The limits of saved data. A saved minute consists of at least its number, its request count and its error count. */
const savedLimits = { names: maxKnownFunctions, lists: shownMinutes, minLength: 3 };

export function createFunctionActivity(): FunctionActivity & {
  add(invocation: Pick<Invocation, 'function' | 'at' | 'status' | 'durationMs'>): void;
} {
  // The least recently invoked function is the first entry, which is removed when the map is full.
  const known = new Map<string, Bucket[]>();
  return {
    add({ function: slug, at, status, durationMs }) {
      const buckets = known.get(slug) ?? [];
      known.delete(slug);
      const [oldest] = known.keys();
      if (known.size >= maxKnownFunctions && oldest !== undefined) known.delete(oldest);
      known.set(slug, buckets);
      // A long request may have arrived in an earlier minute than requests that finished before it.
      const minute = Math.floor(at / minuteMs);
      const bucket = bucketOf(buckets, minute);
      bucket.requests += 1;
      if (status !== null && status >= 500) bucket.errors += 1;
      const index = classOf(durationMs);
      bucket.durations[index] = (bucket.durations[index] ?? 0) + 1;
    },
    recent(slug, nowMs) {
      const last = Math.floor(nowMs / minuteMs);
      const buckets = new Map(known.get(slug)?.map((bucket) => [bucket.minute, bucket]));
      return Array.from({ length: shownMinutes }, (_, index) => {
        const minute = last - shownMinutes + 1 + index;
        const bucket = buckets.get(minute);
        return {
          at: minute * minuteMs,
          requests: bucket?.requests ?? 0,
          errors: bucket?.errors ?? 0,
          p50Ms: bucket === undefined ? null : quantile(bucket, 0.5),
          p95Ms: bucket === undefined ? null : quantile(bucket, 0.95),
        };
      });
    },
    merged(saved, slug, nowMs) {
      const all = createFunctionActivity();
      for (const each of saved) all.load(each, nowMs);
      return all.recent(slug, nowMs);
    },
    save(nowMs) {
      const last = Math.floor(nowMs / minuteMs);
      return Array.from(known, ([slug, buckets]) => [
        slug,
        buckets
          .filter(({ minute }) => isShown(minute, last))
          .map(({ minute, requests, errors, durations }) => [
            minute,
            requests,
            errors,
            ...packCounts(durations),
          ]),
      ]);
    },
    load(saved, nowMs) {
      const last = Math.floor(nowMs / minuteMs);
      for (const [slug, minutes] of parseSavedCounts(saved, savedLimits)) {
        const buckets = known.get(slug) ?? [];
        for (const [minute = 0, requests = 0, errors = 0, ...packed] of minutes) {
          if (!isShown(minute, last)) continue;
          const bucket = bucketOf(buckets, minute);
          bucket.requests += requests;
          bucket.errors += errors;
          addPackedCounts(bucket.durations, packed);
        }
        if (buckets.length > 0) known.set(slug, buckets);
      }
    },
  };
}

/** Returns the counts of a minute, which are created if necessary. */
function bucketOf(buckets: Bucket[], minute: number): Bucket {
  const known = buckets.find((each) => each.minute === minute);
  if (known !== undefined) return known;
  const bucket = { minute, requests: 0, errors: 0, durations: new Uint32Array(classes) };
  buckets.push(bucket);
  if (buckets.length > shownMinutes) buckets.shift();
  return bucket;
}

const isShown = (minute: number, last: number): boolean => minute > last - shownMinutes && minute <= last;

const classOf = (ms: number): number =>
  ms < 1 ? 0 : Math.min(classes - 1, 1 + Math.floor(Math.log(ms) / Math.log(growth)));

/** Returns the middle of the duration class that contains the quantile. */
function quantile({ requests, durations }: Bucket, share: number): number {
  let left = Math.max(1, Math.ceil(requests * share));
  const index = durations.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return index <= 0 ? 0.5 : growth ** (index - 0.5);
}
