/** Sends a channel's replies, system messages and close messages with the refs that each of them requires. */
import { encodeReply, type Frame } from '../core/frame.ts';
import type { ChannelSocket } from './channel-socket.ts';

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
    this.frame(encodeReply(this.#connection.version, this.#joinRef, ref, this.#topic, status, response));
  }

  system(extension: 'system' | 'postgres_changes', status: 'ok' | 'error', message: string): void {
    const channel = this.#topic.slice('realtime:'.length);
    this.#push(this.#joinRef, null, 'system', JSON.stringify({ extension, status, message, channel }));
  }

  presenceState(json: string): void {
    this.#push(this.#joinRef, null, 'presence_state', json);
  }

  close(): void {
    this.#push(this.#joinRef, this.#joinRef, 'phx_close', '{}');
  }

  disconnect(): void {
    const payload = { extension: 'system', status: 'ok', message: 'Server requested disconnect' };
    this.#push(null, null, 'system', JSON.stringify(payload));
  }

  #push(joinRef: string | null, ref: string | null, event: string, payloadJson: string): void {
    if (!this.#silent) this.#connection.push(joinRef, ref, this.#topic, event, payloadJson);
  }
}
