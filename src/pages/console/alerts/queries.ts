/** The statements of alerts. */

import { sql } from '../../../base/kernel/sql.ts';
import type { AlertKind } from '../../../base/shared/alerts.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { AlertEvent, Decision, NewMessage, OpenAlert, StoredMessage } from './core/decide.ts';

/** The maximum number of open alerts, so that a flood of problems doesn't become a flood of messages. */
const maxOpen = 200;
const retentionDays = 30;
/** The time in which an alert continues if its problem is found again. */
const continuedMinutes = 60;

const toMs = (column: ReturnType<typeof sql>) =>
  sql`pg_catalog.floor(extract(epoch from ${column}) * 1000)::float8`;
const fromMs = (ms: number) => sql`pg_catalog.to_timestamp(${ms / 1000}::float8)`;

/** Takes or renews the lease of the watch. Returns false if another process holds it. */
export async function takeLease(
  db: Queryable,
  {
    holder,
    leaseMs,
    takesOver,
  }: { readonly holder: string; readonly leaseMs: number; readonly takesOver: boolean },
): Promise<boolean> {
  const rows = await db.query(sql`
    insert into _plinth.alert_watch as w (holder, held_until)
    values (${holder}::uuid, pg_catalog.now() + pg_catalog.make_interval(secs => ${leaseMs / 1000}::float8))
    on conflict (is_only) do update set holder = excluded.holder, held_until = excluded.held_until
      where w.holder = excluded.holder or w.held_until < pg_catalog.now() or ${takesOver}::bool
    returning true`);
  return rows.length > 0;
}

export async function endLease(db: Queryable, holder: string): Promise<void> {
  await db.query(sql`
    update _plinth.alert_watch set held_until = pg_catalog.now() where holder = ${holder}::uuid`);
}

/** Locks the lease until the transaction ends. Returns false if another process has taken it. */
export async function lockLease(tx: Queryable, holder: string): Promise<boolean> {
  const rows = await tx.query(sql`select from _plinth.alert_watch where holder = ${holder}::uuid for update`);
  return rows.length > 0;
}

/** Returns the open alerts, and those that ended recently, which continue if their problem is found again. */
export async function listOpen(db: Queryable): Promise<OpenAlert[]> {
  return await db.query<OpenAlert>(sql`
    select a.id::text, a.key, a.kind, a.severity, ${toMs(sql`a.since`)} as "sinceMs",
      ${toMs(sql`a.seen_at`)} as "seenAtMs", a.raised_at is not null as "isRaised",
      a.resolved_at is not null as "isResolved",
      coalesce((select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object('id', m.id, 'receiver', m.receiver,
          'address', m.address, 'event', m.event, 'createdAtMs', ${toMs(sql`m.created_at`)},
          'isSent', m.sent_at is not null, 'isWaiting', m.sent_at is null and m.failed_at is null))
        from _plinth.alert_messages m where m.alert_id = a.id), '[]') as messages
    from _plinth.alerts a
    where a.resolved_at is null or a.id in (
      select pg_catalog.max(r.id) from _plinth.alerts r
      where r.resolved_at > pg_catalog.now() - pg_catalog.make_interval(mins => ${continuedMinutes}::int)
        and not exists (select from _plinth.alerts o where o.key = r.key and o.resolved_at is null)
      group by r.key)
    order by a.id`);
}

/** Stores a decision. `nowMs` is its time, in milliseconds since the epoch. */
export async function storeDecision(tx: Queryable, decision: Decision, nowMs: number): Promise<void> {
  const now = fromMs(nowMs);
  const [row] = await tx.query<{ open: number }>(sql`
    select count(*)::int as open from _plinth.alerts where resolved_at is null`);
  for (const { problem, messages } of decision.found.slice(0, Math.max(0, maxOpen - (row?.open ?? 0)))) {
    const { key, kind, severity, title, page } = problem;
    const isRaised = messages.length > 0;
    const [alert] = await tx.query<{ id: string }>(sql`
      insert into _plinth.alerts (key, kind, severity, title, page, since, seen_at, raised_at)
      values (${key}, ${kind}, ${severity}, ${title}, ${page}, ${now}, ${now}, case when ${isRaised}::bool then ${now} end)
      on conflict (key) where resolved_at is null do nothing returning id::text`);
    if (alert !== undefined) await addMessages(tx, alert.id, messages, nowMs);
  }
  for (const { id, problem, isRaised, isReopened, messages } of decision.seen) {
    const { severity, title, page } = problem;
    await tx.query(sql`
      update _plinth.alerts set seen_at = ${now}, severity = ${severity}, title = ${title}, page = ${page},
        since = case when ${isReopened}::bool then ${now} else since end, resolved_at = null,
        raised_at = coalesce(raised_at, case when ${isRaised}::bool then ${now} end) where id = ${id}::bigint`);
    await addMessages(tx, id, messages, nowMs);
  }
  for (const { id, messages, dropped } of decision.resolved) {
    await tx.query(sql`update _plinth.alerts set resolved_at = ${now} where id = ${id}::bigint`);
    await tx.query(sql`delete from _plinth.alert_messages where id = any (${dropped}::uuid[])`);
    await addMessages(tx, id, messages, nowMs);
  }
  await tx.query(sql`delete from _plinth.alerts where id = any (${decision.forgotten}::bigint[])`);
}

async function addMessages(
  tx: Queryable,
  alertId: string,
  messages: readonly NewMessage[],
  nowMs: number,
): Promise<void> {
  for (const { receiver, address, event, notBeforeMs } of messages)
    await tx.query(sql`
      insert into _plinth.alert_messages (id, alert_id, receiver, address, event, created_at, next_attempt_at)
      values (pg_catalog.gen_random_uuid(), ${alertId}::bigint, ${receiver}, ${address}, ${event}, ${fromMs(nowMs)},
        ${fromMs(notBeforeMs)})`);
}

/** A message that is due, with its alert. */
export interface DueMessage {
  readonly id: string;
  readonly receiver: string;
  readonly address: string;
  readonly event: AlertEvent;
  readonly createdAtMs: number;
  /** The number of attempts, including the next one. */
  readonly attempts: number;
  readonly alert: ReportedAlert;
}

export interface ReportedAlert {
  readonly id: string;
  readonly kind: AlertKind;
  readonly severity: 'error' | 'warning';
  readonly title: string;
  readonly page: string;
  /** When the problem began, in ISO 8601 format. */
  readonly since: string;
}

/**
 * Takes the messages that are due. Until its result is stored, a message isn't due again before `leaseMs` have passed,
 * so a crash repeats a message at most.
 */
export async function takeDue(
  db: Queryable,
  { nowMs, leaseMs, limit }: { readonly nowMs: number; readonly leaseMs: number; readonly limit: number },
): Promise<DueMessage[]> {
  return await db.query<DueMessage>(sql`
    with due as (
      select m.id from _plinth.alert_messages m
      where m.sent_at is null and m.failed_at is null and m.next_attempt_at <= ${fromMs(nowMs)}
      order by m.next_attempt_at, m.created_at limit ${limit}::int for update skip locked
    )
    update _plinth.alert_messages m
    set attempts = m.attempts + 1, next_attempt_at = ${fromMs(nowMs + leaseMs)}
    from due, _plinth.alerts a
    where m.id = due.id and a.id = m.alert_id
    returning m.id, m.receiver, m.address, m.event, ${toMs(sql`m.created_at`)} as "createdAtMs", m.attempts,
      pg_catalog.jsonb_build_object('id', a.id::text, 'kind', a.kind, 'severity', a.severity, 'title', a.title,
        'page', a.page, 'since', a.since) as alert`);
}

/** The result of an attempt. The error is null if the message was sent. */
export interface MessageResult {
  readonly error: string | null;
  /** When the next attempt is due. Undefined if there is none. */
  readonly nextAttemptAtMs: number | undefined;
}

export async function recordResult(
  db: Queryable,
  id: string,
  { error, nextAttemptAtMs }: MessageResult,
): Promise<void> {
  await db.query(sql`
    update _plinth.alert_messages set error = ${error},
      sent_at = case when ${error}::text is null then pg_catalog.now() end,
      failed_at = case when ${error}::text is not null and ${nextAttemptAtMs === undefined}::bool then pg_catalog.now() end,
      next_attempt_at = ${fromMs(nextAttemptAtMs ?? 0)}
    where id = ${id}::uuid`);
}

export async function deleteOld(db: Queryable): Promise<void> {
  await db.query(sql`
    delete from _plinth.alerts
    where resolved_at < pg_catalog.now() - pg_catalog.make_interval(days => ${retentionDays}::int)`);
}

export interface AlertRow extends ReportedAlert {
  readonly key: string;
  readonly raisedAt: string | null;
  readonly resolvedAt: string | null;
  readonly messages: readonly Pick<StoredMessage, 'receiver' | 'address' | 'event'>[];
}

/** The state of a receiver's messages. */
export interface ReceiverRow {
  readonly receiver: string;
  readonly sentAt: string | null;
  readonly waiting: number;
  /** The error of the last attempt, if it failed. */
  readonly error: string | null;
}

/** Lists the alerts that were reported, the open ones first. */
export function listAlerts(db: Queryable, limit: number): Promise<AlertRow[]> {
  return db.query<AlertRow>(sql`
    select a.id::text, a.key, a.kind, a.severity, a.title, a.page, ${iso(sql`a.since`)} as since,
      ${iso(sql`a.raised_at`)} as "raisedAt", ${iso(sql`a.resolved_at`)} as "resolvedAt",
      coalesce((select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
          'receiver', m.receiver, 'address', m.address, 'event', m.event) order by m.created_at)
        from _plinth.alert_messages m where m.alert_id = a.id and m.sent_at is not null), '[]') as messages
    from _plinth.alerts a
    where a.raised_at is not null
    order by (a.resolved_at is null) desc, a.since desc, a.id desc limit ${limit}::int`);
}

export function listReceivers(db: Queryable): Promise<ReceiverRow[]> {
  return db.query<ReceiverRow>(sql`
    select m.receiver, ${iso(sql`max(m.sent_at)`)} as "sentAt",
      count(*) filter (where m.sent_at is null and m.failed_at is null)::int as waiting,
      (pg_catalog.array_agg(m.error order by coalesce(m.sent_at, m.failed_at, m.created_at) desc)
        filter (where m.attempts > 0))[1] as error
    from _plinth.alert_messages m group by m.receiver`);
}

const iso = (column: ReturnType<typeof sql>) =>
  sql`pg_catalog.to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
