/** The state of a node, as it reports it to the other nodes, to the Console and to `plinth status --group`. */
import type { MissingAnswer, ViewNode } from './view.ts';

/** Question with which nodes ask each other for {@link NodeFacts}. */
export const factsQuestion = 'facts';

export interface NodeFacts {
  /** The status that `/health/ready` reports. */
  readonly status: 'ok' | 'degraded' | 'failing' | 'draining';
  /** The health checks that aren't ok. */
  readonly problems: readonly NodeProblem[];
  /** The number of API workers. 0 if the main process serves all requests. */
  readonly workers: number;
  /** The average of the last minute. Requests to the Console aren't counted. */
  readonly requestsPerSecond: number;
  /** The average number of responses with a 5xx status. */
  readonly failedPerSecond: number;
  /** The number of CPU cores that all processes of the node use, averaged over at most ten seconds. */
  readonly cpuCores: number;
  /** The number of CPU cores that the node can use. */
  readonly maxCpuCores: number;
  /** The resident memory of all processes. */
  readonly memoryBytes: number;
  readonly maxMemoryBytes: number;
  /** The 99th percentile of the event loop's delay, in the process with the longest delay. */
  readonly eventLoopLagMs: number;
  /** The open connections of clients to the API and the Console. */
  readonly connections: { readonly open: number; readonly limit: number };
  /** The connections to the database, and the requests that wait for one. */
  readonly database: { readonly open: number; readonly limit: number; readonly waiting: number };
  /** Null if the realtime service is disabled. */
  readonly realtime: {
    readonly sockets: number;
    readonly channels: number;
    /** The replication slot that the node reads. Null if the node doesn't read database changes itself. */
    readonly slot: string | null;
    /** Whether the node reads the slot for the whole group. */
    readonly readsForGroup: boolean;
  } | null;
  /** The number of running cron jobs and requests of pg_net. */
  readonly jobs: { readonly cron: number; readonly requests: number };
  /** The settings whose new values take effect after a restart. */
  readonly needsRestart: readonly string[];
  /** The number of errors in the settings files. */
  readonly settingsErrors: number;
}

export interface NodeProblem {
  readonly check: string;
  readonly status: 'degraded' | 'failing';
  readonly message: string;
}

/**
 * `gone`: the node ended without removing its row, and hasn't renewed it for 15 seconds. The other values that a node
 * doesn't report itself are the reasons why its answer is missing.
 */
export type NodeState = NodeFacts['status'] | MissingAnswer | 'gone';

export interface NodeStatus extends Omit<ViewNode, 'isRunning'> {
  readonly state: NodeState;
  /** Whether this is the node that lists the nodes. */
  readonly isSelf: boolean;
  /** Whether the version differs from the version of the node that lists the nodes. */
  readonly isOtherVersion: boolean;
  readonly facts: NodeFacts | null;
  /** The slot that the node reads. */
  readonly slot: SlotLag | null;
}

export interface SlotLag {
  readonly name: string;
  /** The size of the WAL that the reader hasn't confirmed. Null if the slot doesn't exist or can't be read. */
  readonly lagBytes: number | null;
  /** The time that the reader needed to confirm the latest WAL. Null if PostgreSQL doesn't know it. */
  readonly lagSeconds: number | null;
}
