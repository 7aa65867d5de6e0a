/** Counts the requests to each function per minute, with their errors and durations, for the last hour. */
import type { Invocation } from './invocations.ts';

export interface ActivityMinute {
  /** The beginning of the minute, in milliseconds since the epoch. */
  readonly at: number;
  readonly requests: number;
  /** Responses with a status of at least 500. They include errors of the platform, such as a failed start. */
  readonly errors: number;
  /** The duration that half of the requests don't exceed, to within a tenth. Null without requests. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

export interface FunctionActivity {
  /** Returns the last hour, oldest minute first. */
  recent(slug: string, nowMs: number): ActivityMinute[];
}

interface Bucket {
  readonly minute: number;
  requests: number;
  errors: number;
  /** The number of requests in each class of durations. */
  readonly durations: Uint32Array;
}

const minuteMs = 60_000;
const shownMinutes = 60;
const maxKnownFunctions = 200;
/** Each class is a fifth wider than the previous one, so its middle differs from any duration in it by a tenth. */
const growth = 1.2;
/** The last class begins at 1.2 to the 79th milliseconds, which is about half an hour. */
const classes = 80;

export function createFunctionActivity(): FunctionActivity & {
  add(invocation: Pick<Invocation, 'function' | 'at' | 'status' | 'durationMs'>): void;
} {
  // The function that was invoked least recently comes first and is the next one to be removed.
  const known = new Map<string, Bucket[]>();
  return {
    add({ function: slug, at, status, durationMs }) {
      const buckets = known.get(slug) ?? [];
      known.delete(slug);
      const [oldest] = known.keys();
      if (known.size >= maxKnownFunctions && oldest !== undefined) known.delete(oldest);
      known.set(slug, buckets);
      // A long request arrived in an earlier minute than the requests that have already finished.
      const minute = Math.floor(at / minuteMs);
      let bucket = buckets.find((each) => each.minute === minute);
      if (bucket === undefined) {
        bucket = { minute, requests: 0, errors: 0, durations: new Uint32Array(classes) };
        buckets.push(bucket);
        if (buckets.length > shownMinutes) buckets.shift();
      }
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
  };
}

const classOf = (ms: number): number =>
  ms < 1 ? 0 : Math.min(classes - 1, 1 + Math.floor(Math.log(ms) / Math.log(growth)));

/** Returns the middle of the class that contains the quantile. */
function quantile({ requests, durations }: Bucket, share: number): number {
  let left = Math.max(1, Math.ceil(requests * share));
  const index = durations.findIndex((count) => {
    left -= count;
    return left <= 0;
  });
  return index <= 0 ? 0.5 : growth ** (index - 0.5);
}
