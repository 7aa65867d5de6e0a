/**
 * Implements the channel protocol's wire format, which consists of Phoenix serializers 1.0.0 and 2.0.0 and of two
 * binary kinds of realtime-js: kind 3 for a user broadcast to the server, and kind 4 for a user broadcast to clients.
 *
 * Glossary. *Topic*: the string that the client joins, which is `realtime:` followed by the sub-topic. *ref*: the
 * number that the client assigns to a push and that the reply repeats. *join_ref*: the ref of the join that created the
 * client's channel.
 */
import { isJson } from '../../../base/shared/json.ts';
import { isTooDeep, rawElements, rawMembers } from './raw-json.ts';

export type Version = '1.0.0' | '2.0.0';

/** A decoded client message, independent of the frame format. */
export interface ClientMessage {
  readonly joinRef: string | null;
  readonly ref: string | null;
  readonly topic: string;
  readonly event: string;
  readonly payload: ClientPayload;
}

export type ClientPayload =
  /** `text` is the raw JSON, which is forwarded unchanged in a broadcast. */
  | { readonly kind: 'json'; readonly value: unknown; readonly text: string }
  /** Binary kind 3, a broadcast from a client. */
  | {
      readonly kind: 'user-broadcast';
      readonly event: string;
      readonly encoding: Encoding;
      readonly data: Buffer;
    }
  /** Binary kind 0, a frame that the service ignores. */
  | { readonly kind: 'bytes'; readonly data: Buffer };

export type Encoding = 'json' | 'binary';

/** A frame to pass to `ws.send`. */
export interface Frame {
  readonly data: Buffer;
  readonly binary: boolean;
}

/** Decodes a frame. Returns undefined for a malformed frame, which is ignored and doesn't close the connection. */
export function decodeFrame(version: Version, data: Buffer, binary: boolean): ClientMessage | undefined {
  try {
    if (binary) return version === '2.0.0' ? decodeBinary(data) : undefined;
    const text = data.toString('utf8');
    if (isTooDeep(text)) return undefined;
    return version === '2.0.0' ? decodeArray(text) : decodeObject(text);
  } catch {
    return undefined;
  }
}

function decodeArray(text: string): ClientMessage | undefined {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value) || value.length < 5) return undefined;
  const [joinRef, ref, topic, event, payload] = value as unknown[];
  // Only broadcasts are forwarded, so the raw text of other messages isn't needed. The raw text preserves numbers such
  // as 1.0 and integers above 2^53.
  const raw = event === 'broadcast' ? (rawElements(text)[4] ?? 'null') : '';
  return message({ joinRef, ref, topic, event, payload }, raw);
}

function decodeObject(text: string): ClientMessage | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { join_ref: joinRef, ref, topic, event, payload } = value as Record<string, unknown>;
  const raw = event === 'broadcast' ? (rawMembers(text).get('payload') ?? 'null') : '';
  return message({ joinRef, ref, topic, event, payload }, raw);
}

interface MessageFields {
  readonly joinRef: unknown;
  readonly ref: unknown;
  readonly topic: unknown;
  readonly event: unknown;
  readonly payload: unknown;
}

/** Returns the message, or undefined if a field is invalid. `text` is the raw text of the payload. */
function message(
  { joinRef, ref, topic, event, payload: value }: MessageFields,
  text: string,
): ClientMessage | undefined {
  if (typeof topic !== 'string' || typeof event !== 'string' || value === undefined) return undefined;
  return { joinRef: refOf(joinRef), ref: refOf(ref), topic, event, payload: { kind: 'json', value, text } };
}

function refOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : null;
}

function decodeBinary(data: Buffer): ClientMessage | undefined {
  const kind = data[0];
  if (kind !== 0 && kind !== 3) return undefined;
  const headerBytes = kind === 0 ? 5 : 7;
  if (data.length < headerBytes) return undefined;
  let offset = headerBytes;
  const take = (size: number): Buffer => {
    if (offset + size > data.length) throw new RangeError('a size points beyond the end of the frame');
    const part = data.subarray(offset, offset + size);
    offset += size;
    return part;
  };
  const size = (index: number): number => data[index] as number;
  const joinRef = take(size(1)).toString('utf8');
  const ref = take(size(2)).toString('utf8');
  const topic = take(size(3)).toString('utf8');
  const event = take(size(4)).toString('utf8');
  const refs = { joinRef: joinRef === '' ? null : joinRef, ref: ref === '' ? null : ref, topic };
  if (kind === 0) return { ...refs, event, payload: { kind: 'bytes', data: data.subarray(offset) } };
  take(size(5)); // Metadata from clients is ignored.
  const encoding: Encoding = size(6) === 0 ? 'binary' : 'json';
  return {
    ...refs,
    event: 'broadcast',
    payload: { kind: 'user-broadcast', event, encoding, data: data.subarray(offset) },
  };
}

/** The fields of a message to a client, except the payload. The refs are null unless the message is a reply. */
export interface MessageHead {
  readonly joinRef?: string | null;
  readonly ref?: string | null;
  readonly topic: string;
  readonly event: string;
}

/** Encodes a message whose payload is already JSON text. */
export function encodeJson(
  version: Version,
  { joinRef = null, ref = null, topic, event }: MessageHead,
  payloadJson: string,
): Frame {
  const text =
    version === '2.0.0'
      ? `[${JSON.stringify(joinRef)},${JSON.stringify(ref)},${JSON.stringify(topic)},${JSON.stringify(event)},${payloadJson}]`
      : `{"topic":${JSON.stringify(topic)},"event":${JSON.stringify(event)},"payload":${payloadJson},"ref":${JSON.stringify(ref)}}`;
  return { data: Buffer.from(text, 'utf8'), binary: false };
}

export type ReplyStatus = 'ok' | 'error';

export function encodeReply(
  version: Version,
  { joinRef = null, ref = null, topic }: Omit<MessageHead, 'event'>,
  status: ReplyStatus,
  response: unknown,
): Frame {
  const head = { joinRef, ref, topic, event: 'phx_reply' };
  return encodeJson(version, head, JSON.stringify({ status, response }));
}

/** A broadcast to clients. The broadcast consists of plain data so that it can be sent to other processes. */
export type Broadcast =
  /** A broadcast of binary kind 4, which requires version 2.0.0 of the serializer. `metadata` is JSON text. */
  | {
      readonly form: 'user';
      readonly event: string;
      readonly encoding: Encoding;
      readonly data: Buffer;
      readonly metadata?: string;
      readonly id?: string;
    }
  /** A broadcast as text, which every version of the serializer can represent. The payload is unchanged. */
  | { readonly form: 'text'; readonly payloadJson: string; readonly id?: string };

/**
 * Encodes a broadcast for clients. Returns undefined if this version of the serializer can't represent the broadcast.
 * Version 1.0.0 doesn't support binary payloads, and version 2.0.0 doesn't support names longer than 255 bytes.
 */
export function encodeBroadcast(version: Version, topic: string, broadcast: Broadcast): Frame | undefined {
  if (broadcast.form === 'text')
    return encodeJson(version, { topic, event: 'broadcast' }, broadcast.payloadJson);
  if (version === '2.0.0') return encodeUserBroadcast(topic, broadcast);
  if (broadcast.encoding === 'binary') return undefined;
  const json = broadcast.data.toString('utf8');
  // A client can declare arbitrary bytes as JSON, but invalid JSON must not be inserted into other clients' frames.
  if (!isJson(json)) return undefined;
  const meta = broadcast.metadata === undefined ? '' : `,"meta":${broadcast.metadata}`;
  const payload = `{"type":"broadcast","event":${JSON.stringify(broadcast.event)},"payload":${json}${meta}}`;
  return encodeJson(version, { topic, event: 'broadcast' }, payload);
}

function encodeUserBroadcast(topic: string, broadcast: Broadcast & { form: 'user' }): Frame | undefined {
  const metadata = broadcast.metadata ?? '';
  const sizes = [topic, broadcast.event, metadata].map((part) => Buffer.byteLength(part));
  if (sizes.some((size) => size > 255)) return undefined;
  const [topicBytes, eventBytes, metadataBytes] = sizes as [number, number, number];
  const head = 5 + topicBytes + eventBytes + metadataBytes;
  const frame = Buffer.allocUnsafe(head + broadcast.data.length);
  frame[0] = 4;
  frame[1] = topicBytes;
  frame[2] = eventBytes;
  frame[3] = metadataBytes;
  frame[4] = broadcast.encoding === 'json' ? 1 : 0;
  frame.write(topic, 5, 'utf8');
  frame.write(broadcast.event, 5 + topicBytes, 'utf8');
  frame.write(metadata, 5 + topicBytes + eventBytes, 'utf8');
  broadcast.data.copy(frame, head);
  return { data: frame, binary: true };
}
