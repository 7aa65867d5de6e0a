/** Runs the statements on `_plinth.captured_messages`. */

import { type Sql, sql } from '../../base/kernel/sql.ts';
import type { Queryable } from '../../platform/database/types.ts';
import type { SearchTerm } from './core/search.ts';

export interface MessageRow {
  readonly id: string;
  readonly kind: 'mail' | 'sms';
  readonly from_name: string;
  readonly from_address: string;
  readonly recipient: string;
  readonly subject: string;
  readonly html: string;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly is_read: boolean;
  readonly created_at: string;
}

const columns = sql`
  id, kind, from_name, from_address, recipient, subject, html, text, headers, is_read, created_at`;

export async function insertMessage(
  db: Queryable,
  message: Omit<MessageRow, 'is_read' | 'created_at'>,
): Promise<void> {
  await db.query(sql`
    insert into _plinth.captured_messages (id, kind, from_name, from_address, recipient, subject, html, text, headers)
    values (${message.id}, ${message.kind}, ${message.from_name}, ${message.from_address}, ${message.recipient},
            ${message.subject}, ${message.html}, ${message.text}, ${message.headers})`);
}

/** Deletes all messages except the newest `keep` messages. */
export async function deleteOldest(db: Queryable, keep: number): Promise<void> {
  await db.query(sql`
    delete from _plinth.captured_messages where ordinal <=
      (select ordinal from _plinth.captured_messages order by ordinal desc offset ${keep} limit 1)`);
}

/** Lists messages, newest first. */
export function listMessages(
  db: Queryable,
  options: { readonly limit: number; readonly offset: number; readonly terms: readonly SearchTerm[] },
): Promise<MessageRow[]> {
  return db.query<MessageRow>(sql`
    select ${columns} from _plinth.captured_messages where ${condition(options.terms)}
    order by ordinal desc limit ${options.limit} offset ${options.offset}`);
}

export interface MessageCounts {
  readonly total: number;
  readonly unread: number;
}

export async function countMessages(db: Queryable, terms: readonly SearchTerm[]): Promise<MessageCounts> {
  const [counts] = await db.query<MessageCounts>(sql`
    select count(*)::int8 as total, count(*) filter (where not is_read)::int8 as unread
    from _plinth.captured_messages where ${condition(terms)}`);
  return counts ?? { total: 0, unread: 0 };
}

/** Finds a message by its ID. The ID `latest` selects the newest message. */
export async function findMessage(db: Queryable, id: string): Promise<MessageRow | undefined> {
  const which = id === 'latest' ? sql`true order by ordinal desc` : sql`id = ${id}`;
  const [row] = await db.query<MessageRow>(
    sql`select ${columns} from _plinth.captured_messages where ${which} limit 1`,
  );
  return row;
}

export async function markRead(
  db: Queryable,
  ids: readonly string[] | undefined,
  isRead: boolean,
): Promise<void> {
  const which = ids === undefined ? sql`true` : sql`id = any(${[...ids]}::text[])`;
  await db.query(sql`update _plinth.captured_messages set is_read = ${isRead} where ${which}`);
}

export async function deleteMessages(db: Queryable, ids: readonly string[] | undefined): Promise<void> {
  const which = ids === undefined ? sql`true` : sql`id = any(${[...ids]}::text[])`;
  await db.query(sql`delete from _plinth.captured_messages where ${which}`);
}

export async function deleteFound(db: Queryable, terms: readonly SearchTerm[]): Promise<void> {
  await db.query(sql`delete from _plinth.captured_messages where ${condition(terms)}`);
}

const searchable: Readonly<Record<SearchTerm['field'], Sql>> = {
  any: sql`(subject || ' ' || recipient || ' ' || from_address || ' ' || from_name || ' ' || text || ' ' || html)`,
  to: sql`recipient`,
  from: sql`(from_address || ' ' || from_name)`,
  subject: sql`subject`,
  body: sql`(text || ' ' || html)`,
  id: sql`id`,
};

function condition(terms: readonly SearchTerm[]): Sql {
  if (terms.length === 0) return sql`true`;
  const parts = terms.map((term) => {
    const found =
      term.kind === 'text'
        ? sql`strpos(lower(${searchable[term.field]}), ${term.value.toLowerCase()}) > 0`
        : sql`is_read = ${term.kind === 'read'}`;
    return term.negated ? sql`not (${found})` : found;
  });
  return sql.join(parts, ' and ');
}
