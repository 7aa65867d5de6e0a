/** The statements with which operators see and repeat deliveries. */
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';

/** The number of deliveries up to which the waiting and failed ones of a webhook are counted. */
const maxCounted = 1000;

export interface EndpointRow {
  readonly name: string;
  readonly failingSince: string | null;
  readonly disabledAt: string | null;
  readonly note: string | null;
  readonly waiting: number;
  readonly failed: number;
}

export const findEndpoints = (db: Queryable, names: readonly string[]): Promise<EndpointRow[]> => {
  const count = (status: 'waiting' | 'failed') => sql`(
    select count(*)::int from (
      select from _plinth.user_event_deliveries d
      where d.endpoint = e.name and d.status = ${status} limit ${maxCounted}) as part)`;
  return db.query<EndpointRow>(sql`
    select e.name, to_jsonb(e.failing_since) as "failingSince", to_jsonb(e.disabled_at) as "disabledAt", e.note,
      ${count('waiting')} as waiting, ${count('failed')} as failed
    from _plinth.user_event_endpoints e where e.name = any(${names}::text[])`);
};

export interface DeliveryFilter {
  readonly endpoint?: string | undefined;
  readonly failed: boolean;
  /** Only deliveries that are older than the one with this ID. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface DeliveryRow {
  readonly id: string;
  readonly endpoint: string;
  readonly type: string;
  readonly userId: string | null;
  /** When the event happened (ISO 8601). */
  readonly happenedAt: string;
  readonly status: 'waiting' | 'delivered' | 'failed';
  readonly attempts: number;
  readonly lastAttemptAt: string | null;
  /** When the next attempt is due. Null if no attempt will follow. */
  readonly nextAttemptAt: string | null;
  readonly responseStatus: number | null;
  readonly durationMs: number | null;
}

/** A delivery with the texts that can contain personal data or secrets of the receiver. */
export interface OpenedDelivery extends DeliveryRow {
  readonly eventId: string;
  readonly data: unknown;
  readonly error: string | null;
  readonly responseExcerpt: string | null;
}

const columns = sql`d.id::text, d.endpoint, e.type, d.user_id::text as "userId", to_jsonb(e.created_at) as "happenedAt",
  d.status, d.attempts, to_jsonb(d.last_attempt_at) as "lastAttemptAt",
  case when d.status = 'waiting' then to_jsonb(d.next_attempt_at) end as "nextAttemptAt",
  d.response_status as "responseStatus", d.duration_ms as "durationMs"`;

/** Lists deliveries, newest first. Those that are waiting after a failed attempt also count as failed. */
export const listDeliveries = (
  db: Queryable,
  { endpoint, failed, before, limit }: DeliveryFilter,
): Promise<DeliveryRow[]> =>
  db.query<DeliveryRow>(sql`
    select ${columns}
    from _plinth.user_event_deliveries d join _plinth.user_events e on e.id = d.event
    where (${endpoint ?? null}::text is null or d.endpoint = ${endpoint ?? null}::text)
      and (not ${failed}::boolean or d.status = 'failed' or (d.status = 'waiting' and d.duration_ms is not null))
      and (${before ?? null}::bigint is null or d.id < ${before ?? null}::bigint)
    order by d.id desc limit ${limit}`);

export async function findDelivery(db: Queryable, id: string): Promise<OpenedDelivery | undefined> {
  const [row] = await db.query<OpenedDelivery>(sql`
    select ${columns}, e.event_id::text as "eventId", e.data, d.error, d.response_excerpt as "responseExcerpt"
    from _plinth.user_event_deliveries d join _plinth.user_events e on e.id = d.event
    where d.id = ${id}::bigint`);
  return row;
}

/** Makes a delivery due. A delivery that has ended starts over with its first attempt. */
export const sendAgain = (db: Queryable, id: string): Promise<unknown> =>
  db.query(sql`
    update _plinth.user_event_deliveries set
      attempts = case when status = 'waiting' then attempts else 0 end, status = 'waiting', next_attempt_at = now()
    where id = ${id}::bigint`);

/** Creates an event for a single webhook, and returns the delivery's ID. */
export async function insertTest(db: Queryable, endpoint: string, type: string): Promise<string> {
  const [row] = await db.query<{ id: string }>(sql`
    with event as (
      insert into _plinth.user_events (type, data, is_new)
      values (${type}, ${{ webhook: endpoint }}, false) returning id
    )
    insert into _plinth.user_event_deliveries (event, endpoint) select id, ${endpoint} from event
    returning id::text`);
  return (row as { id: string }).id;
}
