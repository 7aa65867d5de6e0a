/**
 * The messages between the main process and its API workers.
 *
 * Glossary. *Main process* (`main` in names): the process that the operator started. The main process owns everything
 * that exists only once: the lock, PostgreSQL, the jobs, the log and every stateful service. *API worker*: a child
 * process that serves the API port. *Handover*: the main process accepts a connection and passes it to a worker.
 */

import type { MetricValues } from '../../base/kernel/metrics/catalog.ts';
import type { PemPair } from '../../base/kernel/tls.ts';
import type { RequestRecord } from '../../base/kernel/trace.ts';
import type { Config } from '../../platform/config/index.ts';
import type { TakenKeyUses } from '../../platform/keys/index.ts';

/** Messages from the main process. The socket is sent along with a `connection` message. */
export type MainMessage<Init> =
  | { readonly kind: 'init'; readonly init: Init }
  | { readonly kind: 'connection'; readonly id: number }
  | { readonly kind: 'certificates'; readonly pairs: readonly PemPair[] }
  | { readonly kind: 'config'; readonly config: Config }
  | { readonly kind: 'logins-restored'; readonly error?: string | undefined }
  | ({ readonly kind: 'stop' } & StopRequest);

export interface StopRequest {
  /** During this period, the worker closes each connection after the next response. */
  readonly drainMs: number;
  /** Requests that are in progress after this time are aborted. */
  readonly graceMs: number;
  /**
   * Whether this is the only worker that can serve connections. If true, this worker still receives connections while
   * it drains.
   */
  readonly isLast: boolean;
}

export type WorkerMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'accepted'; readonly id: number }
  | { readonly kind: 'restore-logins' }
  | { readonly kind: 'entries'; readonly lines: readonly Line[]; readonly records: readonly RequestRecord[] }
  | ({ readonly kind: 'facts' } & WorkerFacts);

/** A worker's log line. */
export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  /**
   * The log fields as JSON. The fields are serialized because an IPC message can't contain every object that a log line
   * can.
   */
  readonly fields: string;
  readonly message: string;
}

/** The state that a worker regularly reports to the main process. */
export interface WorkerFacts {
  readonly connections: number;
  /** The reason why the worker can't serve requests. Undefined if the worker can serve requests. */
  readonly fault: string | undefined;
  readonly metrics: MetricValues;
  /** How the signing keys and the API keys were used since the last report. */
  readonly keyUses: TakenKeyUses;
}
