/** What other rooms may ask of the realtime service. */
import type { Service } from '../kernel/service.ts';

export interface RealtimeService extends Service {
  readonly verdicts: Verdicts;
  /** How the service is doing at this moment. */
  report(): RealtimeReport;
}

/** All counts are those of this process. */
export interface RealtimeReport {
  readonly sockets: number;
  readonly channels: number;
  /** Other processes that serve the same database and are alive. */
  readonly otherProcesses: number;
  /** A sentence while they cannot be reached. */
  readonly busTrouble: string | undefined;
  readonly stream: StreamReport;
}

export interface StreamReport {
  /** `closed`: nobody needs it, or it is tried again in a moment. */
  readonly state: 'closed' | 'opening' | 'live';
  readonly trouble: string | undefined;
  readonly slot:
    | {
        readonly name: string;
        /** It outlives its connection. */
        readonly permanent: boolean;
        /** WAL that PostgreSQL keeps for it, as of the last look (every 30 seconds); undefined before the first. */
        readonly retainedBytes: number | undefined;
        /** Beyond this it is given up. */
        readonly maxBytes: number;
      }
    | undefined;
}

/** Why something reached a subscriber, or did not. */
export interface Verdicts {
  /** A change of a row, and one entry of a subscriber's `postgres_changes`. @throws {VerdictError} */
  ofChange(question: ChangeQuestion): Promise<ChangeVerdict>;
  /** A broadcast, and a member of its topic. @throws {VerdictError} */
  ofBroadcast(question: BroadcastQuestion): Promise<BroadcastVerdict>;
}

/** Whose token it is: the claims as they stand in it. */
export interface Persona {
  readonly role: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Cells by column, as PostgreSQL writes them. */
export type Cells = Readonly<Record<string, string | null>>;

export interface ChangeQuestion {
  readonly subscriber: Persona;
  /** As the client sends it: `event`, `schema`, `table`, `filter`, `select`. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly change: {
    readonly schema: string;
    readonly table: string;
    readonly action: 'INSERT' | 'UPDATE' | 'DELETE';
    /** Columns that name the row, usually its primary key. */
    readonly key: Cells;
    /** Cells that were different at the time of the change; all others are taken from the row as it is now. */
    readonly row?: Cells;
  };
}

export interface BroadcastQuestion {
  readonly subscriber: Persona;
  /** Without `realtime:`. */
  readonly topic: string;
  /** How the subscriber joined, and with which version of the protocol. */
  readonly channel: { readonly private: boolean; readonly version: '1.0.0' | '2.0.0' };
  readonly message:
    | {
        readonly from: 'client';
        readonly private: boolean;
        readonly event: string;
        readonly encoding: 'json' | 'binary';
        /** Of the payload. */
        readonly sizeBytes: number;
        /** Asked as well whether this one may send it. */
        readonly sender?: Persona | undefined;
      }
    /** A row of realtime.messages (`realtime.send`, `broadcast_changes`), by its id. */
    | { readonly from: 'database'; readonly id: string };
}

/** In the order in which the service asks. */
export type StepName =
  | 'token'
  | 'publication'
  | 'message'
  | 'channel'
  | 'request'
  | 'sender'
  | 'privilege'
  | 'filter'
  | 'policy'
  | 'limit';

/**
 * `passes`: not the reason. `stops`: nothing arrives. `alters`: something else or less arrives. `not asked`: an earlier
 * step, or what kind of change it is, makes it unimportant.
 */
export type Outcome = 'passes' | 'stops' | 'alters' | 'not asked';

export interface Step {
  readonly step: StepName;
  readonly outcome: Outcome;
  /** Stable, for texts of one's own: `not-published`, `hidden-by-policies`, … */
  readonly code: string;
  /** One sentence in English. */
  readonly says: string;
  /** What it was decided by: names, values, sizes in bytes. */
  readonly facts: Readonly<Record<string, unknown>>;
}

interface Verdict {
  /** No step stops it. */
  readonly delivered: boolean;
  readonly steps: readonly Step[];
  /** Channels of this process that are joined with a token of that role and `sub`. */
  readonly connected: number;
}

export interface ChangeVerdict extends Verdict {
  /** The `data` that the subscriber gets, as JSON text; undefined when nothing arrives. */
  readonly dataJson: string | undefined;
}

export interface BroadcastVerdict extends Verdict {}

/** The question makes no sense: there is no such table, row or message. Its text is for the operator. */
export class VerdictError extends Error {
  override readonly name = 'VerdictError';
}
