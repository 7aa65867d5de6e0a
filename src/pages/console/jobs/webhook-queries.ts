/** Reads database webhooks (from their triggers) and the deliveries of webhooks. */

import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { DeliveryRow } from './contract.ts';
import { hookFunction } from './core/webhook.ts';

export interface WebhookRow {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  readonly enabled: boolean;
  /** The `tgtype` and `tgargs` columns of `pg_trigger`. */
  readonly type: number;
  readonly args: Buffer;
  /** Whether the trigger has a condition or applies only to some columns. */
  readonly is_narrowed: boolean;
  readonly definition: string;
  /** The table's ID, as used in the delivery log. */
  readonly table_id: number;
}

export const listWebhooks = (
  db: Queryable,
  only?: { readonly schema: string; readonly table: string; readonly name: string },
): Promise<WebhookRow[]> =>
  db.query<WebhookRow>(sql`
    select n.nspname as schema, c.relname as table, g.tgname as name, g.tgenabled <> 'D' as enabled,
      g.tgtype as type, g.tgargs as args, g.tgqual is not null or g.tgattr::text <> '' as is_narrowed,
      pg_get_triggerdef(g.oid) as definition, c.oid as table_id
    from pg_trigger g join pg_class c on c.oid = g.tgrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_proc p on p.oid = g.tgfoid join pg_namespace pn on pn.oid = p.pronamespace
    where pn.nspname = ${hookFunction.schema} and p.proname = ${hookFunction.name}
      and not g.tgisinternal and g.tgparentid = 0
      and ${
        only === undefined
          ? sql`true`
          : sql`n.nspname = ${only.schema} and c.relname = ${only.table} and g.tgname = ${only.name}`
      }
    order by n.nspname <> 'public', n.nspname, c.relname, g.tgname`);

const shownContentChars = 2000;

/**
 * Finds the responses to the newest deliveries by time, because the response table has an index on the time but not on
 * the request ID.
 */
const withResponses = sql`
  select s.id::text, to_jsonb(s.created_at) as sent_at, s.request_id::text as request_id,
    case
      when r.id is null and exists (select from net.http_request_queue q where q.id = s.request_id) then 'waiting'
      when r.id is null then 'forgotten'
      when r.timed_out then 'timed out'
      when r.error_msg is not null then 'failed'
      else 'answered' end as outcome,
    r.status_code as status, to_jsonb(r.created) as answered_at, r.content_type,
    left(r.content, ${shownContentChars}::int) as content, r.error_msg as error, s.hook_table_id as table_id,
    s.hook_name as name
  from sent s left join net._http_response r
    on r.id = s.request_id and r.created >= (select min(created_at) from sent) and r.created >= s.created_at
  order by s.id desc`;

export const listDeliveries = (
  db: Queryable,
  { table_id, name }: Pick<WebhookRow, 'table_id' | 'name'>,
  before: string | undefined,
  limit: number,
): Promise<DeliveryRow[]> =>
  db.query<DeliveryRow>(sql`
    with sent as materialized (
      select id, created_at, request_id, hook_table_id, hook_name from supabase_functions.hooks
      where hook_table_id = ${table_id}::oid::int4 and hook_name = ${name}
        and (${before ?? null}::bigint is null or id < ${before ?? null}::bigint)
      order by id desc limit ${limit}::int
    ) ${withResponses}`);

/** Returns the latest delivery for each webhook. */
export const lastDeliveries = (
  db: Queryable,
  hooks: readonly Pick<WebhookRow, 'table_id' | 'name'>[],
): Promise<(DeliveryRow & Pick<WebhookRow, 'table_id' | 'name'>)[]> =>
  db.query(sql`
    with sent as materialized (
      select last.* from unnest(
        ${hooks.map(({ table_id }) => table_id)}::oid[], ${hooks.map(({ name }) => name)}::text[]
      ) as hook (table_id, name), lateral (
        select h.id, h.created_at, h.request_id, h.hook_table_id, h.hook_name from supabase_functions.hooks h
        where h.hook_table_id = hook.table_id::int4 and h.hook_name = hook.name order by h.id desc limit 1
      ) last
    ) ${withResponses}`);
