/** The statements on `_plinth.group_messages`. */
import { sql } from '../../base/kernel/sql.ts';
import type { Queryable } from '../database/types.ts';
import type { Envelope } from './message-seal.ts';

export interface MessageRow extends Envelope {
  readonly content: Buffer;
}

const deleteAfter = '1 minute';
/** The maximum number of messages that are read together. */
const batchRows = 50;

/** Stores a message, and notifies its recipient. Deletes unread messages. */
export async function sendMessage(db: Queryable, row: MessageRow, channel: string): Promise<void> {
  const { id, sender, recipient, content } = row;
  await db.query(sql`
    with unread as (
      delete from _plinth.group_messages
      where sent_at operator(pg_catalog.<) (pg_catalog.now() operator(pg_catalog.-) ${deleteAfter}::pg_catalog.interval)
    )
    insert into _plinth.group_messages (id, sender, recipient, content)
    values (${id}, ${sender}, ${recipient}, ${content})
    returning pg_catalog.pg_notify(${channel}, ${messagePayload(recipient)})`);
}

/** The payload of the notification that a node has a message. */
export const messagePayload = (recipient: string): string => `message ${recipient}`;

/** Deletes the messages of a recipient and returns them. */
export async function takeMessages(db: Queryable, recipient: string): Promise<MessageRow[]> {
  return await db.query<MessageRow>(sql`
    delete from _plinth.group_messages where id operator(pg_catalog.=) any (array(
      select id from _plinth.group_messages
      where recipient operator(pg_catalog.=) ${recipient}::pg_catalog.uuid limit ${batchRows}::pg_catalog.int4))
    returning id::pg_catalog.text as id, sender::pg_catalog.text as sender, recipient::pg_catalog.text as recipient,
      content`);
}
