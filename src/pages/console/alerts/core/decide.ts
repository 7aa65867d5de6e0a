/** Decides which alerts begin and end, and which messages are sent about them. */
import { type AlertKind, parseQuietHours } from '../../../../base/shared/alerts.ts';
import type { DescribedProblem } from './described.ts';
import { endOfQuiet } from './quiet.ts';

export interface Receiver {
  readonly name: string;
  readonly kind: 'email' | 'webhook' | 'slack';
  /** Email addresses. */
  readonly to: readonly string[];
  readonly url: string | undefined;
  readonly secret: string | undefined;
  readonly problems: readonly string[];
  readonly severity: 'error' | 'warning';
  readonly quiet_hours: string;
  readonly time_zone: string;
}

export interface AlertRules {
  readonly afterMs: number;
  /** 0 if alerts are never repeated. */
  readonly repeatMs: number;
  readonly receivers: readonly Receiver[];
}

export type AlertEvent = 'raised' | 'reminder' | 'resolved';

export interface StoredMessage {
  readonly id: string;
  readonly receiver: string;
  readonly address: string;
  readonly event: AlertEvent;
  readonly createdAtMs: number;
  readonly isSent: boolean;
  /** Whether the message can still be sent. */
  readonly isWaiting: boolean;
}

/** An alert whose problem has lasted until recently, or that ended recently. */
export interface OpenAlert {
  readonly id: string;
  readonly key: string;
  readonly kind: AlertKind;
  readonly severity: 'error' | 'warning';
  readonly sinceMs: number;
  readonly seenAtMs: number;
  readonly isRaised: boolean;
  /** Whether the alert has ended. If its problem is found again, the alert continues. */
  readonly isResolved: boolean;
  readonly messages: readonly StoredMessage[];
}

export interface NewMessage {
  readonly receiver: string;
  readonly address: string;
  readonly event: AlertEvent;
  readonly notBeforeMs: number;
}

export interface Decision {
  /** The problems that weren't known. */
  readonly found: readonly { readonly problem: DescribedProblem; readonly messages: readonly NewMessage[] }[];
  /** The alerts whose problem still exists. */
  readonly seen: readonly {
    readonly id: string;
    readonly problem: DescribedProblem;
    readonly isRaised: boolean;
    /** Whether the alert had ended. */
    readonly isReopened: boolean;
    readonly messages: readonly NewMessage[];
  }[];
  /** The alerts that have ended. Waiting messages about them aren't sent anymore. */
  readonly resolved: readonly {
    readonly id: string;
    readonly messages: readonly NewMessage[];
    readonly dropped: readonly string[];
  }[];
  /** The alerts whose problem was gone before it was reported. */
  readonly forgotten: readonly string[];
}

/** What was found: the current problems, and the kinds of problems that couldn't be looked for. */
export interface Findings {
  readonly problems: readonly DescribedProblem[];
  readonly unchecked: ReadonlySet<AlertKind>;
}

/** Compares the current problems with the stored alerts. `nowMs` is in milliseconds since the epoch. */
export function decide(
  { problems, unchecked }: Findings,
  open: readonly OpenAlert[],
  { afterMs, repeatMs, receivers }: AlertRules,
  nowMs: number,
): Decision {
  const current = new Map(problems.map((problem) => [problem.key, problem]));
  const known = new Map(open.map((alert) => [alert.key, alert]));
  const message = (receiver: Receiver, address: string, event: AlertEvent): NewMessage => ({
    receiver: receiver.name,
    address,
    event,
    notBeforeMs: endOfQuiet(parseQuietHours(receiver.quiet_hours), receiver.time_zone, nowMs),
  });
  /** The messages to all who should know of a problem and don't, or who should be reminded. */
  const dueMessages = (
    problem: DescribedProblem,
    earlier: readonly StoredMessage[],
    sinceMs: number,
  ): NewMessage[] =>
    receivers
      .filter((receiver) => wants(receiver, problem))
      .flatMap((receiver) =>
        addressesOf(receiver).flatMap((address) => {
          const own = earlier.filter((each) => each.receiver === receiver.name && each.address === address);
          if (own.length === 0) return message(receiver, address, 'raised');
          const last = lastOf(own);
          if (last.event === 'resolved')
            return nowMs - sinceMs >= relapseMs ? message(receiver, address, 'raised') : [];
          const isOld = repeatMs > 0 && nowMs - last.createdAtMs >= repeatMs;
          const isDue = isOld && !own.some(({ isWaiting }) => isWaiting);
          return isDue ? message(receiver, address, 'reminder') : [];
        }),
      );
  const gone = open.filter(
    ({ key, kind, isResolved }) => !isResolved && !current.has(key) && !unchecked.has(kind),
  );
  const ended = gone.filter(({ isRaised, seenAtMs }) => isRaised && nowMs - seenAtMs >= afterMs);
  return {
    found: problems
      .filter(({ key }) => !known.has(key))
      .map((problem) => ({ problem, messages: afterMs === 0 ? dueMessages(problem, [], nowMs) : [] })),
    seen: open.flatMap(({ id, key, sinceMs, isRaised, isResolved, messages }) => {
      const problem = current.get(key);
      if (problem === undefined) return [];
      const lasts = isResolved ? nowMs : sinceMs;
      const raised = isRaised || nowMs - lasts >= afterMs;
      const due = raised ? dueMessages(problem, messages, lasts) : [];
      return { id, problem, isRaised: raised, isReopened: isResolved, messages: due };
    }),
    resolved: ended.map(({ id, messages }) => ({
      id,
      // Only those who have heard of the problem are told of its end.
      messages: receivers.flatMap((receiver) =>
        addressesOf(receiver)
          .filter((address) => {
            const own = messages.filter(
              (each) => each.isSent && each.receiver === receiver.name && each.address === address,
            );
            return own.length > 0 && lastOf(own).event !== 'resolved';
          })
          .map((address) => message(receiver, address, 'resolved')),
      ),
      dropped: messages.filter(({ isWaiting }) => isWaiting).map((each) => each.id),
    })),
    forgotten: gone.filter(({ isRaised }) => !isRaised).map(({ id }) => id),
  };
}

const lastOf = (messages: readonly StoredMessage[]): StoredMessage =>
  messages.reduce((last, each) => (each.createdAtMs > last.createdAtMs ? each : last));

/**
 * How long a problem must last to be reported again within an hour after its end. Otherwise, someone who causes a problem
 * again and again could cause any number of messages.
 */
const relapseMs = 30 * 60_000;

/** Whether the receiver gets alerts about a problem. */
export const wants = (
  { problems, severity }: Receiver,
  problem: Pick<DescribedProblem, 'kind' | 'severity'>,
): boolean =>
  (severity === 'warning' || problem.severity === 'error') &&
  problems.some((kind) => kind === '*' || kind === problem.kind);

/** Receivers with a URL have a single address, which is empty. */
export const addressesOf = ({ kind, to }: Receiver): readonly string[] =>
  kind === 'email' ? [...new Set(to)] : [''];

const retryDelaysMs = [1, 5, 15, 60, 240, 720].map((minutes) => minutes * 60_000);

/** Returns the delay until the next attempt. Undefined if the message is given up. `attempts` is at least 1. */
export const retryDelayMs = (attempts: number): number | undefined => retryDelaysMs[attempts - 1];
