/** Sends a channel's replies, system messages and close messages with the refs that each of them requires. */
import { encodeReply, type Frame, type MessageHead } from '../core/frame.ts';
import type { ChannelSocket } from './context.ts';

export class ChannelSender {
  readonly #connection: ChannelSocket;
  readonly #topic: string;
  readonly #joinRef: string | null;
  #silent = false;

  constructor(connection: ChannelSocket, topic: string, joinRef: string | null) {
    this.#connection = connection;
    this.#topic = topic;
    this.#joinRef = joinRef;
  }

  /** Makes the sender discard all subsequent messages. */
  silence(): void {
    this.#silent = true;
  }

  frame(frame: Frame): void {
    if (!this.#silent) this.#connection.send(frame);
  }

  reply(ref: string | null, status: 'ok' | 'error', response: unknown): void {
    const head = { joinRef: this.#joinRef, ref, topic: this.#topic };
    this.frame(encodeReply(this.#connection.version, head, status, response));
  }

  system(extension: 'system' | 'postgres_changes', status: 'ok' | 'error', message: string): void {
    const channel = this.#topic.slice('realtime:'.length);
    const payload = { extension, status, message, channel };
    this.#push({ joinRef: this.#joinRef, event: 'system' }, JSON.stringify(payload));
  }

  presenceState(json: string): void {
    this.#push({ joinRef: this.#joinRef, event: 'presence_state' }, json);
  }

  close(): void {
    this.#push({ joinRef: this.#joinRef, ref: this.#joinRef, event: 'phx_close' }, '{}');
  }

  disconnect(): void {
    const payload = { extension: 'system', status: 'ok', message: 'Server requested disconnect' };
    this.#push({ event: 'system' }, JSON.stringify(payload));
  }

  #push(head: Omit<MessageHead, 'topic'>, payloadJson: string): void {
    if (!this.#silent) this.#connection.push({ ...head, topic: this.#topic }, payloadJson);
  }
}
