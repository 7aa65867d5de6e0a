/**
 * Sends the traces of requests to an OpenTelemetry collector with OTLP over HTTP. Requests never wait for the
 * collector. While the collector can't be reached, a limited number of traces is kept, and additional traces are
 * dropped and counted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../base/kernel/log.ts';
import type { RequestRecord, Trace } from '../../../base/kernel/trace.ts';
import { contextOf, sampler, type TraceContext, traceparentOf } from './context.ts';
import { encodeTraces, type Resource, type TracedRequest } from './encode.ts';

export interface TraceExporterOptions {
  /** The collector's address, for example `http://127.0.0.1:4318`. The path `/v1/traces` is appended. */
  readonly endpoint: string;
  /** Additional headers as `name=value`, separated by commas, as in OTEL_EXPORTER_OTLP_HEADERS. */
  readonly headers: string | undefined;
  /**
   * Returns the fraction of traces to export, between 0 and 1. A trusted caller's decision whether to export a trace
   * takes precedence.
   */
  readonly sampling: () => number;
  readonly resource: Resource;
  readonly log: Logger;
  /** How long requests are collected before they are sent in a batch. Defaults to 2 s. */
  readonly batchMs?: number;
}

export interface TraceExporter {
  requestEnded(record: RequestRecord): void;
  /** Returns the `traceparent` header for outgoing requests that belong to the trace. */
  traceparent(trace: Trace): string;
  /** Returns the number of traces that were dropped. */
  dropped(): number;
  /** Sends the remaining traces, but stops after two seconds. */
  stop(): Promise<void>;
}

const maxQueued = 5000;
/**
 * The maximum total text length of the queued traces. This length is limited because clients choose the length of some
 * values, such as URLs.
 */
const maxQueuedChars = 16 * 1024 * 1024;
const batchSize = 500;
/** The maximum text length of a batch. Collectors usually reject bodies above 20 MiB. */
const maxBatchChars = 2 * 1024 * 1024;
const timeoutMs = 10_000;
const firstRetryMs = 1000;
const lastRetryMs = 30_000;
const stopGraceMs = 2000;

export function createTraceExporter(options: TraceExporterOptions): TraceExporter {
  const { sampling, resource, log, batchMs = 2000 } = options;
  const url = `${options.endpoint.replace(/\/+$/, '')}/v1/traces`;
  const headers = { ...headersOf(options.headers), 'content-type': 'application/json' };
  const isSampled = sampler(sampling);
  const contexts = new WeakMap<Trace, TraceContext>();
  const stopping = new AbortController();
  const queue: TracedRequest[] = [];
  let queuedChars = 0;
  let dropped = 0;
  let trouble: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;

  function contextOfTrace(trace: Trace): TraceContext {
    const known = contexts.get(trace);
    if (known !== undefined) return known;
    const context = contextOf(trace.traceparent, trace.keepsSampling, isSampled);
    contexts.set(trace, context);
    return context;
  }

  /**
   * Sends all queued traces. Drops a batch if the collector rejects it, and retries if the collector is unavailable.
   */
  async function send(): Promise<void> {
    for (let retryMs = firstRetryMs; queue.length > 0; ) {
      const batch = firstBatch(queue);
      const result = await post(encodeTraces(batch, resource));
      if (result === 'unavailable') {
        if (stopping.signal.aborted) return;
        await sleep(retryMs, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined);
        retryMs = Math.min(retryMs * 2, lastRetryMs);
        continue;
      }
      retryMs = firstRetryMs;
      // A full queue drops new traces, so the batch is still at the beginning of the queue.
      queue.splice(0, batch.length);
      queuedChars -= charsOf(batch);
      if (result === 'rejected') dropped += batch.length;
    }
  }

  async function post(body: string): Promise<'sent' | 'rejected' | 'unavailable'> {
    try {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
      await response.arrayBuffer();
      const { status } = response;
      if (response.ok) report(undefined);
      else report(`the collector responded with ${status}`);
      if (response.ok) return 'sent';
      return status === 429 || status >= 502 ? 'unavailable' : 'rejected';
    } catch (error) {
      report(
        error instanceof Error ? (error.cause instanceof Error ? error.cause : error).message : String(error),
      );
      return 'unavailable';
    }
  }

  function report(next: string | undefined): void {
    if (next === trouble) return;
    if (next === undefined) log.info({}, 'traces are exported again');
    else log.warn({ reason: next }, "can't export traces");
    trouble = next;
  }

  function schedule(delayMs: number): void {
    if (timer !== undefined || sending !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      sending = send().finally(() => {
        sending = undefined;
        if (queue.length > 0 && !stopping.signal.aborted) schedule(batchMs);
      });
    }, delayMs);
    timer.unref();
  }

  return {
    requestEnded(record) {
      if (record.trace === undefined) return;
      const context = contextOfTrace(record.trace);
      if (!context.isSampled) return;
      const item = { record, context };
      const chars = charsOf([item]);
      if (queue.length >= maxQueued || queuedChars + chars > maxQueuedChars) {
        dropped += 1;
        return;
      }
      queue.push(item);
      queuedChars += chars;
      schedule(batchMs);
    },
    traceparent: (trace) => traceparentOf(contextOfTrace(trace)),
    dropped: () => dropped,
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      await Promise.race([
        (sending ?? Promise.resolve()).then(send),
        sleep(stopGraceMs, undefined, { ref: false }),
      ]);
    },
  };
}

/** Returns the first batch of the queue, which contains at least one request. */
function firstBatch(queue: readonly TracedRequest[]): readonly TracedRequest[] {
  let [count, chars] = [0, 0];
  for (const item of queue) {
    chars += charsOf([item]);
    if (count > 0 && (count === batchSize || chars > maxBatchChars)) break;
    count += 1;
  }
  return queue.slice(0, count);
}

/** Returns the total length of the values whose length depends on clients and statements. */
const charsOf = (requests: readonly TracedRequest[]): number =>
  requests.reduce(
    (sum, { record: { url, userAgent = '', trace } }) =>
      (trace?.spans ?? []).reduce(
        (ofTrace, { text }) => ofTrace + text.length,
        sum + url.length + userAgent.length,
      ),
    0,
  );

/**
 * Parses additional headers. @example headersOf('authorization=Bearer%20abc,x-team=1') // { authorization: 'Bearer abc', 'x-team': '1' }
 */
function headersOf(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').flatMap((pair) => {
    const cut = pair.indexOf('=');
    return cut < 1
      ? []
      : [[pair.slice(0, cut).trim().toLowerCase(), decoded(pair.slice(cut + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
