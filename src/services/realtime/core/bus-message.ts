/**
 * The binary encoding of the messages between the processes of a group. A batch is a sequence of messages. Each message
 * consists of the lengths of its head and its body (32 bits each, big-endian), the head (JSON) and the body (raw
 * bytes).
 */
import type { Broadcast, Encoding } from './frame.ts';
import type { PresenceChange, PresenceEntry } from './presence.ts';

/** The key of a topic and the presence entries of one process's members. */
export type TopicEntries = readonly [topic: string, entries: readonly PresenceEntry[]];

/** The names `room` and `rooms` are part of the encoding, which processes of different versions exchange. */
export type BusMessage =
  | {
      readonly kind: 'broadcast';
      readonly subTopic: string;
      readonly isPrivate: boolean;
      readonly broadcast: Broadcast;
    }
  /** Members in the sending process joined, changed or left. */
  | { readonly kind: 'presence'; readonly room: string; readonly change: PresenceChange }
  /** All members that are present in the sending process. */
  | { readonly kind: 'presence-state'; readonly rooms: readonly TopicEntries[] }
  /** The sender has started listening. Receivers send their presence state. */
  | { readonly kind: 'hello' }
  /** The sender is still running. */
  | { readonly kind: 'alive' }
  /** The sender missed messages from the process `to`, so `to` must resend its presence state. */
  | { readonly kind: 'again'; readonly to: string }
  /** The sender is stopping. */
  | { readonly kind: 'bye' };

/** The head of a broadcast, whose body is the payload. */
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
 * Decodes a batch.
 * @throws {RangeError | SyntaxError} if the bytes aren't a valid batch
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
