/** Statements on auth.audit_log_entries. */
import { randomUUID } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { JsonObject } from './json.ts';
import type { Page } from './pagination.ts';
import type { AuditLogEntry } from './rows.ts';
import { fromMs } from './times.ts';

const noInstance = '00000000-0000-0000-0000-000000000000';

export async function insertAuditEntry(
  db: Queryable,
  payload: JsonObject,
  ip: string,
  nowMs: number,
): Promise<void> {
  await db.query(sql`
    insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
    values (${noInstance}, ${randomUUID()}, ${payload}, ${fromMs(nowMs)}, ${ip})`);
}

/**
 * Lists entries, newest first. If `value` is set, lists only entries in whose payload one of the fields in `keys`
 * contains `value`, ignoring case.
 */
export async function listAuditEntries(
  db: Queryable,
  page: Page,
  filter?: { readonly keys: readonly string[]; readonly value: string },
): Promise<{ readonly entries: readonly AuditLogEntry[]; readonly total: number }> {
  const pattern = `%${filter?.value ?? ''}%`;
  const matches =
    filter === undefined || filter.value === ''
      ? sql.empty
      : sql` and (${sql.join(
          filter.keys.map((key) => sql`payload ->> ${key}::text ilike ${pattern}`),
          ' or ',
        )})`;
  const condition = sql`instance_id = ${noInstance}${matches}`;
  const [count] = await db.query<{ total: number }>(
    sql`select count(*)::int8 as total from auth.audit_log_entries where ${condition}`,
  );
  const entries = await db.query<AuditLogEntry>(sql`
    select id, payload, created_at, ip_address from auth.audit_log_entries where ${condition}
    order by created_at desc, id limit ${page.perPage} offset ${(page.page - 1) * page.perPage}`);
  return { entries, total: count?.total ?? 0 };
}
