/**
 * Looks for problems every minute, and sends alerts about them to the receivers in plinth.toml (decision 133). Only one
 * process of a group looks for problems, and only if there are receivers.
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from '../../../base/kernel/log.ts';
import type { AlertKind } from '../../../base/shared/alerts.ts';
import { createOutgoing, type Reach } from '../../../base/shared/network/outgoing.ts';
import type { Config } from '../../../platform/config/index.ts';
import type { Pool } from '../../../platform/database/types.ts';
import type { Mailer } from '../../../services/mail/types.ts';
import type { Problem } from '../home/contract.ts';
import {
  type AlertRules,
  addressesOf,
  decide,
  type Findings,
  type Receiver,
  retryDelayMs,
} from './core/decide.ts';
import { type DescribedProblem, describeProblem } from './core/described.ts';
import { createOutage } from './outage.ts';
import * as queries from './queries.ts';
import { type SendDeps, sendMessage } from './send.ts';

export interface AlertsDeps {
  /** A pool of the superuser, which can write to `_plinth`. */
  readonly db: Pool;
  readonly config: { readonly current: Config };
  /** Returns the problems for alerts. */
  readonly problems: () => Promise<readonly Problem[]>;
  readonly mailer: Pick<Mailer, 'sendMail'>;
  readonly consoleUrl: () => string;
  readonly mode: 'development' | 'production';
  /** Whether other nodes use the same database. */
  readonly isShared: boolean;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: Logger;
}

export interface Alerts {
  /** Looks for problems and sends the messages that are due. Does nothing if another process does so. */
  check(): Promise<void>;
  list(): Promise<{
    readonly alerts: readonly queries.AlertRow[];
    readonly receivers: readonly ReceiverState[];
  }>;
  /** Sends a test. Returns null, or a description of the error. Undefined if the receiver doesn't exist. */
  test(name: string): Promise<string | null | undefined>;
  stop(): Promise<void>;
}

export interface ReceiverState {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly kind: Receiver['kind'];
  /** The email addresses, or the origin of the URL, which as a whole is a secret. */
  readonly target: string;
  readonly problems: readonly string[];
  readonly severity: Receiver['severity'];
  /** For example `22:00-07:00 (UTC)`. Empty if there are none. */
  readonly quietHours: string;
  readonly sentAt: string | null;
  readonly waiting: number;
  readonly error: string | null;
}

/** Another node continues if this node hasn't looked for problems for this time. */
const leaseMs = 150_000;
/** The time after which a message is sent again if its result wasn't stored. */
const messageLeaseMs = 5 * 60_000;
const messagesPerRound = 50;
const listed = 100;

export function createAlerts(deps: AlertsDeps): Alerts {
  const { db, config, problems, isShared, now, log } = deps;
  const holder = randomUUID();
  const sendDeps: SendDeps = {
    mailer: deps.mailer,
    outgoing: createOutgoing({ mode: deps.mode }),
    reachOf: reachOf(deps),
    project: () => config.current.plinth.branding.name || config.current.project_id,
    consoleUrl: deps.consoleUrl,
    now,
  };
  let running: Promise<void> | undefined;
  let isStopped = false;

  async function look(): Promise<void> {
    const rules = rulesOf(config.current);
    if (rules.receivers.length === 0) return;
    if (!(await queries.takeLease(db, { holder, leaseMs, takesOver: !isShared }))) return;
    const found = findingsOf(await problems());
    const isCurrent = await db.transaction(async (tx) => {
      if (!(await queries.lockLease(tx, holder))) return false;
      const at = now();
      const decision = decide(found, await queries.listOpen(tx), rules, at);
      await queries.storeDecision(tx, decision, at);
      await queries.deleteOld(tx);
      return true;
    });
    if (isCurrent) await sendDue(rules.receivers);
  }

  const outage = createOutage({
    send: (receiver, address, event, alert) =>
      sendMessage(sendDeps, receiver, address, { id: randomUUID(), event, alert }),
    now,
  });

  async function check(): Promise<void> {
    try {
      await look();
    } catch (error) {
      await outage.failed(error, rulesOf(config.current));
      throw error;
    }
    await outage.recovered(rulesOf(config.current));
  }

  async function sendDue(receivers: readonly Receiver[]): Promise<void> {
    while (!isStopped) {
      const due = await queries.takeDue(db, {
        nowMs: now(),
        leaseMs: messageLeaseMs,
        limit: messagesPerRound,
      });
      await Promise.all(due.map((message) => send(receivers, message)));
      if (due.length < messagesPerRound) return;
    }
  }

  async function send(receivers: readonly Receiver[], message: queries.DueMessage): Promise<void> {
    const receiver = receivers.find(({ name }) => name === message.receiver);
    if (receiver === undefined) {
      await queries.recordResult(db, message.id, {
        error: 'The receiver isn’t in the settings anymore.',
        nextAttemptAtMs: undefined,
      });
      return;
    }
    const error = await sendMessage(sendDeps, receiver, message.address, message);
    const delayMs = error === null ? undefined : retryDelayMs(message.attempts);
    const nextAttemptAtMs = delayMs === undefined ? undefined : now() + delayMs;
    await queries.recordResult(db, message.id, { error, nextAttemptAtMs });
    if (error !== null)
      log.warn({ receiver: message.receiver, attempts: message.attempts, error }, 'an alert was not sent');
  }

  return {
    check() {
      if (isStopped) return Promise.resolve();
      running ??= check().finally(() => {
        running = undefined;
      });
      return running;
    },
    async list() {
      const [alerts, states] = await Promise.all([queries.listAlerts(db, listed), queries.listReceivers(db)]);
      const known = new Map(states.map((state) => [state.receiver, state]));
      return {
        alerts,
        receivers: Object.entries(config.current.plinth.alerts.receivers).map(([name, settings]) =>
          stateOf({ name, ...settings }, settings.enabled, known.get(name)),
        ),
      };
    },
    async test(name) {
      const receiver = receiversOf(config.current).find((each) => each.name === name);
      if (receiver === undefined) return undefined;
      const alert: queries.ReportedAlert = {
        id: '0',
        kind: 'services',
        severity: 'error',
        title: 'this receiver gets alerts',
        page: '/alerts',
        since: new Date(now()).toISOString(),
      };
      const errors = await Promise.all(
        addressesOf(receiver).map((address) =>
          sendMessage(sendDeps, receiver, address, { id: randomUUID(), event: 'test', alert }),
        ),
      );
      return errors.find((error) => error !== null) ?? null;
    },
    async stop() {
      isStopped = true;
      await running?.catch(() => undefined);
      if (isShared) await queries.endLease(db, holder).catch(() => undefined);
    },
  };
}

/** The kinds of problems that each source finds. */
const kindOfSource: Readonly<Record<Extract<Problem, { readonly kind: 'unchecked' }>['source'], AlertKind>> =
  {
    jobs: 'jobs',
    advisors: 'security',
    statements: 'statements',
    nodes: 'nodes',
    attacks: 'sign-in-attacks',
  };

/** If several problems have the same key, the first one, which is the most severe, is reported. */
function findingsOf(problems: readonly Problem[]): Findings {
  const found = new Map<string, DescribedProblem>();
  for (const problem of problems) {
    const described = describeProblem(problem);
    if (described !== undefined && !found.has(described.key)) found.set(described.key, described);
  }
  const unchecked = problems.flatMap((problem) =>
    problem.kind === 'unchecked' ? [kindOfSource[problem.source]] : [],
  );
  return { problems: [...found.values()], unchecked: new Set(unchecked) };
}

const receiversOf = ({ plinth }: Config): readonly Receiver[] =>
  Object.entries(plinth.alerts.receivers).flatMap(([name, { enabled, ...settings }]) =>
    enabled ? { name, ...settings } : [],
  );

function rulesOf(config: Config): AlertRules {
  const { after, repeat } = config.plinth.alerts;
  return { afterMs: after, repeatMs: repeat, receivers: receiversOf(config) };
}

/** Operators see errors of requests, so an alert must not be a way to read the internal network. */
const reachOf =
  ({ config, mode }: AlertsDeps) =>
  (url: string): Reach => {
    const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '').toLowerCase() : '';
    const isPrivateAllowed = config.current.plinth.jobs.private_hosts.some(
      (allowed) => allowed.toLowerCase() === host,
    );
    return mode === 'development' || isPrivateAllowed ? 'configured' : 'public';
  };

const stateOf = (
  receiver: Receiver,
  isEnabled: boolean,
  state: queries.ReceiverRow | undefined,
): ReceiverState => ({
  name: receiver.name,
  isEnabled,
  kind: receiver.kind,
  target: receiver.kind === 'email' ? receiver.to.join(', ') : originOf(receiver.url ?? ''),
  problems: receiver.problems,
  severity: receiver.severity,
  quietHours: receiver.quiet_hours === '' ? '' : `${receiver.quiet_hours} (${receiver.time_zone})`,
  sentAt: state?.sentAt ?? null,
  waiting: state?.waiting ?? 0,
  error: state?.error ?? null,
});

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : '');
