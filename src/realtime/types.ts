/** The interface of the realtime service for other modules. */
import type { Service } from '../kernel/service.ts';

export interface RealtimeService extends Service {
  readonly verdicts: Verdicts;
  /** Returns the current state of the service. */
  report(): RealtimeReport;
}

/** All counts refer to this process. */
export interface RealtimeReport {
  readonly sockets: number;
  readonly channels: number;
  /** The number of other running processes that serve the same database. */
  readonly otherProcesses: number;
  /** The error message while the other processes are unreachable. */
  readonly busTrouble: string | undefined;
  readonly stream: StreamReport;
}

export interface StreamReport {
  /** `closed` means not needed, or about to be reopened. */
  readonly state: 'closed' | 'opening' | 'live';
  readonly trouble: string | undefined;
  readonly slot:
    | {
        readonly name: string;
        /** Whether the slot outlives its connection. */
        readonly permanent: boolean;
        /**
         * The WAL that PostgreSQL retained for the slot at the last check (every 30 seconds). Undefined before the
         * first check.
         */
        readonly retainedBytes: number | undefined;
        /** The limit at which the slot is dropped. */
        readonly maxBytes: number;
      }
    | undefined;
}

/** Explains why a message did or didn't reach a subscriber. */
export interface Verdicts {
  /** Checks a row change against an entry in a subscriber's `postgres_changes`. @throws {VerdictError} */
  ofChange(question: ChangeQuestion): Promise<ChangeVerdict>;
  /** Checks a broadcast against a member of its topic. @throws {VerdictError} */
  ofBroadcast(question: BroadcastQuestion): Promise<BroadcastVerdict>;
}

/** A simulated user, described by the role and claims of a token. */
export interface Persona {
  readonly role: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Cells by column, in PostgreSQL's text format. */
export type Cells = Readonly<Record<string, string | null>>;

export interface ChangeQuestion {
  readonly subscriber: Persona;
  /** The entry as sent by the client: `event`, `schema`, `table`, `filter`, `select`. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly change: {
    readonly schema: string;
    readonly table: string;
    readonly action: 'INSERT' | 'UPDATE' | 'DELETE';
    /** Columns that identify the row, usually its primary key. */
    readonly key: Cells;
    /** Cells that had different values at the time of the change. All others are taken from the current row. */
    readonly row?: Cells;
  };
}

export interface BroadcastQuestion {
  readonly subscriber: Persona;
  /** The topic without `realtime:`. */
  readonly topic: string;
  /** The subscriber's channel type and protocol version. */
  readonly channel: { readonly private: boolean; readonly version: '1.0.0' | '2.0.0' };
  readonly message:
    | {
        readonly from: 'client';
        readonly private: boolean;
        readonly event: string;
        readonly encoding: 'json' | 'binary';
        /** The size of the payload. */
        readonly sizeBytes: number;
        /** If given, also checks whether this user can send the message. */
        readonly sender?: Persona | undefined;
      }
    /** A row of realtime.messages (`realtime.send`, `broadcast_changes`), by its id. */
    | { readonly from: 'database'; readonly id: string };
}

/** The checks in the order in which the service runs them. */
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
 * `passes`: this step isn't the cause. `stops`: nothing is delivered. `alters`: something different or less is
 * delivered. `not asked`: irrelevant because of an earlier step or the kind of change.
 */
export type Outcome = 'passes' | 'stops' | 'alters' | 'not asked';

export interface Step {
  readonly step: StepName;
  readonly outcome: Outcome;
  /** A stable code for custom texts, such as `not-published` or `hidden-by-policies`. */
  readonly code: string;
  /** An English sentence. */
  readonly says: string;
  /** The facts behind the outcome: names, values, sizes in bytes. */
  readonly facts: Readonly<Record<string, unknown>>;
}

interface Verdict {
  /** Whether no step stops the delivery. */
  readonly delivered: boolean;
  readonly steps: readonly Step[];
  /** The number of channels in this process that were joined with a token with this role and `sub`. */
  readonly connected: number;
}

export interface ChangeVerdict extends Verdict {
  /** The `data` that the subscriber receives, as JSON. Undefined if nothing is delivered. */
  readonly dataJson: string | undefined;
}

export interface BroadcastVerdict extends Verdict {}

/** The question is invalid because a table, row or message doesn't exist. The message is for operators. */
export class VerdictError extends Error {
  override readonly name = 'VerdictError';
}
