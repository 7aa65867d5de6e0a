/**
 * What the processes of a group tell each other, as bytes. A batch is a row of messages, each `length of head, length of
 * body` (32 bits each, big endian), head (JSON), body (bytes as they are).
 */
import type { Broadcast, Encoding } from './frame.ts';
import type { PresenceChange, PresenceEntry } from './presence.ts';

/** A room and what one process's members track in it. */
export type RoomPresence = readonly [room: string, entries: readonly PresenceEntry[]];

export type BusMessage =
  | {
      readonly kind: 'broadcast';
      readonly subTopic: string;
      readonly isPrivate: boolean;
      readonly broadcast: Broadcast;
    }
  /** Members of the sender came, changed or left. */
  | { readonly kind: 'presence'; readonly room: string; readonly change: PresenceChange }
  /** All members of the sender that are present anywhere. */
  | { readonly kind: 'presence-state'; readonly rooms: readonly RoomPresence[] }
  /** The sender has begun to listen: who hears it tells its presence. */
  | { readonly kind: 'hello' }
  /** The sender lives. */
  | { readonly kind: 'alive' }
  /** The sender missed something of `to`, which is to tell its presence again. */
  | { readonly kind: 'again'; readonly to: string }
  /** The sender stops. */
  | { readonly kind: 'bye' };

/** The head of a broadcast; its body is the payload. */
interface BroadcastHead {
  readonly kind: 'broadcast';
  readonly subTopic: string;
  readonly isPrivate: boolean;
  readonly form: Broadcast['form'];
  readonly id?: string;
  readonly event?: string;
  readonly encoding?: Encoding;
  readonly metadata?: string;
}

export function encodeMessage(message: BusMessage): Buffer {
  if (message.kind !== 'broadcast') return framed(message, Buffer.alloc(0));
  const { broadcast, ...head } = message;
  if (broadcast.form === 'text') {
    const { payloadJson, ...rest } = broadcast;
    return framed({ ...head, ...rest }, Buffer.from(payloadJson, 'utf8'));
  }
  const { data, ...rest } = broadcast;
  return framed({ ...head, ...rest }, data);
}

function framed(head: object, body: Buffer): Buffer {
  const text = Buffer.from(JSON.stringify(head), 'utf8');
  const sizes = Buffer.allocUnsafe(8);
  sizes.writeUInt32BE(text.length, 0);
  sizes.writeUInt32BE(body.length, 4);
  return Buffer.concat([sizes, text, body]);
}

/**
 * The messages of a batch.
 * @throws {RangeError | SyntaxError} when the bytes are not a batch
 */
export function decodeMessages(batch: Buffer): BusMessage[] {
  const messages: BusMessage[] = [];
  for (let at = 0; at < batch.length; ) {
    const bodyAt = at + 8 + batch.readUInt32BE(at);
    const end = bodyAt + batch.readUInt32BE(at + 4);
    if (end > batch.length) throw new RangeError('a message is cut short');
    const head = JSON.parse(batch.toString('utf8', at + 8, bodyAt)) as BusMessage | BroadcastHead;
    messages.push(
      head.kind === 'broadcast' ? broadcastOf(head as BroadcastHead, batch.subarray(bodyAt, end)) : head,
    );
    at = end;
  }
  return messages;
}

function broadcastOf(head: BroadcastHead, body: Buffer): BusMessage {
  const { kind, subTopic, isPrivate, form, id, event, encoding, metadata } = head;
  const withId = id === undefined ? {} : { id };
  const broadcast: Broadcast =
    form === 'text'
      ? { form, payloadJson: body.toString('utf8'), ...withId }
      : {
          form,
          event: event ?? '',
          encoding: encoding ?? 'binary',
          data: body,
          ...(metadata === undefined ? {} : { metadata }),
          ...withId,
        };
  return { kind, subTopic, isPrivate, broadcast };
}
