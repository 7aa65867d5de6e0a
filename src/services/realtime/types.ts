/** Defines the realtime service's interface for other modules. */
import type { Service } from '../../base/kernel/service.ts';
import type { TapListener } from './taps.ts';

export type { TapEvent } from './taps.ts';

export interface RealtimeService extends Service {
  readonly deliveryChecks: DeliveryChecks;
  /** Calls the listener with each message that this process delivers, until the returned function is called. */
  tap(listener: TapListener): () => void;
  /** Returns the current state of the service. */
  report(): RealtimeReport;
}

/** The state of the service. All counts refer to this process. */
export interface RealtimeReport {
  readonly sockets: number;
  readonly channels: number;
  /** The number of other running processes that use the same database. */
  readonly otherProcesses: number;
  /** The error message while other processes can't be reached. Otherwise, undefined. */
  readonly busTrouble: string | undefined;
  readonly stream: StreamReport;
}

export interface StreamReport {
  /** `closed` means that the stream isn't needed or is about to be reopened. */
  readonly state: 'closed' | 'opening' | 'live';
  readonly trouble: string | undefined;
  readonly slot:
    | {
        readonly name: string;
        /** Whether all processes of the group share the slot, so that only one of them reads it. */
        readonly isShared: boolean;
        /** Whether this process reads the slot. */
        readonly isRead: boolean;
        /** Whether the slot remains after its connection to PostgreSQL ends. */
        readonly permanent: boolean;
        /**
         * The size of the WAL that PostgreSQL retained for the slot at the last check, which runs every 30 seconds.
         * Undefined before the first check.
         */
        readonly retainedBytes: number | undefined;
        /** The size of retained WAL beyond which Plinth abandons the slot. */
        readonly maxBytes: number;
      }
    | undefined;
}

/** Explains why a message did or didn't reach a subscriber. */
export interface DeliveryChecks {
  /**
   * Checks whether a row change reaches a subscriber with this `postgres_changes` entry.
   * @throws {DeliveryCheckError}
   */
  checkChange(question: ChangeCheckInput): Promise<ChangeCheckResult>;
  /** Checks whether a broadcast reaches a member of its topic. @throws {DeliveryCheckError} */
  checkBroadcast(question: BroadcastCheckInput): Promise<BroadcastCheckResult>;
}

/** A simulated user, described by the role and claims of a token. */
export interface Persona {
  readonly role: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The cells of a row by column, in PostgreSQL's text format. */
export type Cells = Readonly<Record<string, string | null>>;

export interface ChangeCheckInput {
  readonly subscriber: Persona;
  /** The entry as sent by the client, with `event`, `schema`, `table`, `filter` and `select`. */
  readonly entry: Readonly<Record<string, unknown>>;
  readonly change: {
    readonly schema: string;
    readonly table: string;
    readonly action: 'INSERT' | 'UPDATE' | 'DELETE';
    /** The columns that identify the row, usually its primary key. */
    readonly key: Cells;
    /**
     * The values at the time of the change of all cells that have changed since then. The values of all other cells are
     * taken from the current row.
     */
    readonly row?: Cells;
  };
}

export interface BroadcastCheckInput {
  readonly subscriber: Persona;
  /** The sub-topic, which is the topic name without the prefix `realtime:`. */
  readonly topic: string;
  /** The subscriber's channel type and protocol version. */
  readonly channel: { readonly private: boolean; readonly version: '1.0.0' | '2.0.0' };
  readonly message:
    | {
        readonly from: 'client';
        readonly private: boolean;
        readonly event: string;
        readonly encoding: 'json' | 'binary';
        readonly sizeBytes: number;
        /** If this property is present, the check also determines whether this user can send the message. */
        readonly sender?: Persona | undefined;
      }
    /**
     * A row of `realtime.messages`, identified by its id. Rows in this table are written by `realtime.send` and
     * `broadcast_changes`.
     */
    | { readonly from: 'database'; readonly id: string };
}

/** The checks in the order in which the service runs them. */
export type CheckStepName =
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
 * `passes`: this step doesn't prevent delivery. `stops`: this step prevents delivery. `alters`: the message is
 * delivered, but changed or incomplete. `not asked`: this step is irrelevant because of an earlier step or the kind of
 * change.
 */
export type StepOutcome = 'passes' | 'stops' | 'alters' | 'not asked';

export interface CheckStep {
  readonly step: CheckStepName;
  readonly outcome: StepOutcome;
  /**
   * A stable code, such as `not-published` or `hidden-by-policies`. The Console's page has a separate message for each
   * code.
   */
  readonly code: string;
  /** An English sentence that describes the result. */
  readonly says: string;
  /** The facts that determined the outcome, such as names, values and sizes in bytes. */
  readonly facts: Readonly<Record<string, unknown>>;
}

interface DeliveryCheckResult {
  /** Whether the message is delivered, that is, no step stops it. */
  readonly delivered: boolean;
  readonly steps: readonly CheckStep[];
  /** The number of open channels in this process whose token has this role and `sub`. */
  readonly connected: number;
}

export interface ChangeCheckResult extends DeliveryCheckResult {
  /** The `data` that the subscriber receives, as JSON. Undefined if nothing is delivered. */
  readonly dataJson: string | undefined;
}

export interface BroadcastCheckResult extends DeliveryCheckResult {}

/**
 * Thrown if the delivery check can't be performed because a table, row or message doesn't exist. The error message is
 * shown to operators.
 */
export class DeliveryCheckError extends Error {
  override readonly name = 'DeliveryCheckError';
}
