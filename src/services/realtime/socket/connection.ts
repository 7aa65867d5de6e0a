/** A WebSocket connection. The connection decodes frames and passes them to its channels. */
import type { WebSocket } from 'ws';
import {
  type ClientMessage,
  decodeFrame,
  encodeJson,
  encodeReply,
  type Frame,
  type MessageHead,
  type Version,
} from '../core/frame.ts';
import { weightOf } from '../core/socket-limits.ts';
import { checkToken, systemText, tokenOfKey } from '../core/token.ts';
import { closes } from '../errors.ts';
import { Channel } from './channel.ts';
import type { ChannelSocket, OpenSocket, SocketContext } from './context.ts';

export interface ConnectionOptions {
  readonly version: Version;
  /** The API key from the handshake, which can be an `sb_` key or a token. */
  readonly key: string;
  /** The token of the API key, for channels whose clients don't send a token. */
  readonly token: string;
  /** The `x-` headers of the handshake as JSON, for the setting `request.headers`. */
  readonly headersJson: string;
  /** False if the client is a web page of another origin. */
  readonly mayUseSecretKeys: boolean;
  readonly address: string;
  /** Called when a channel is joined with a role other than `anon`. */
  readonly onUser: () => void;
}

export class Connection implements ChannelSocket, OpenSocket {
  readonly version: Version;
  token: string;
  readonly headersJson: string;
  readonly mayUseSecretKeys: boolean;
  readonly address: string;
  readonly #key: string;
  readonly #onUser: () => void;
  readonly #socket: WebSocket;
  readonly #context: SocketContext;
  readonly #channels = new Map<string, Channel>();
  readonly #openedAt: number;
  #lastReceivedAt: number;
  #emptySince: number | undefined;
  #stalled = 0;
  #hasJoined = false;
  #closing = false;

  constructor(socket: WebSocket, ctx: SocketContext, options: ConnectionOptions) {
    this.#socket = socket;
    this.#context = ctx;
    this.version = options.version;
    this.#key = options.key;
    this.token = options.token;
    this.headersJson = options.headersJson;
    this.mayUseSecretKeys = options.mayUseSecretKeys;
    this.address = options.address;
    this.#onUser = options.onUser;
    const now = ctx.uptime();
    this.#openedAt = now;
    this.#lastReceivedAt = now;
    this.#emptySince = now;
    ctx.connections.add(this);
    ctx.idle.set(this, now + Math.min(ctx.limits.idleTimeoutMs, ctx.limits.joinTimeoutMs));
    socket.on('message', (data: Buffer, binary: boolean) => this.#receive(data, binary));
    socket.on('ping', () => this.#touch());
    socket.on('pong', () => this.#touch());
    // In this case, the library has already closed the socket, for example because a frame was too large or wasn't
    // valid UTF-8. The `close` event follows.
    socket.on('error', (error) => ctx.log.debug({ error: error.message }, 'socket failed'));
    socket.on('close', () => this.#closed());
  }

  get channels(): ReadonlyMap<string, Channel> {
    return this.#channels;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** Sends a frame. If the reader is too slow, the frame is dropped and the socket is closed. */
  send(frame: Frame): void {
    if (this.#closing || this.#socket.readyState !== 1) return;
    const { maxBufferedBytes } = this.#context.limits;
    const waiting = this.#socket.bufferedAmount;
    if (waiting > 0 && waiting + frame.data.length > maxBufferedBytes) {
      this.#context.counts.dropped++;
      this.#context.log.warn(
        { waitingBytes: waiting, channels: this.#channels.size },
        'closed a slow consumer',
      );
      this.close(...closes.slow);
      return;
    }
    this.#context.counts.sent++;
    this.#socket.send(frame.data, { binary: frame.binary });
  }

  close(code: number, reason: string): void {
    if (this.#closing) return;
    this.#closing = true;
    this.#socket.close(code, reason);
    // A client that doesn't read won't acknowledge the close frame either, so the connection is ended after a second.
    setTimeout(() => this.#socket.terminate(), 1000).unref();
    this.#leaveAll();
  }

  /** Called when the service stops. Clients reconnect automatically. */
  disconnect(): void {
    for (const channel of this.#channels.values()) channel.announceDisconnect();
    this.close(...closes.restart);
  }

  /**
   * Closes the socket if it has received no data, or has had no channels, for too long. Called when the socket's
   * deadline has passed.
   */
  checkIdle(): void {
    const { uptime, limits, idle } = this.#context;
    const now = uptime();
    const idleAt = this.#lastReceivedAt + limits.idleTimeoutMs;
    // A rejected join doesn't count as joining a channel.
    const emptyAt = this.#hasJoined
      ? (this.#emptySince ?? Number.POSITIVE_INFINITY) + limits.emptySocketMs
      : this.#openedAt + limits.joinTimeoutMs;
    if (now >= idleAt || now >= emptyAt) this.close(...closes.idle);
    else idle.set(this, Math.min(idleAt, emptyAt));
  }

  /**
   * Checks the API key and the channels' tokens again after the project's keys have changed. An expired API key doesn't
   * close the socket, because only its channels' tokens count after the handshake.
   */
  confirmKeys(): void {
    const { keys, clock, log } = this.#context;
    const before = this.token;
    this.token = tokenOfKey(keys, this.#key);
    const result = checkToken(keys.verify(this.token), clock.now());
    for (const channel of [...this.#channels.values()])
      channel.confirmToken({ from: before, to: this.token });
    if (result.ok || result.fault.kind === 'expired') return;
    log.info({ channels: this.#channels.size }, 'closed a socket because its API key was revoked');
    for (const channel of [...this.#channels.values()]) channel.shutDown(systemText(result.fault));
    this.close(...closes.revoked);
  }

  /**
   * Pauses or resumes reading. Reading pauses while a channel's queue is full, so that TCP flow control slows down the
   * client.
   */
  stall(by: 1 | -1): void {
    this.#stalled += by;
    if (this.#closing) return;
    if (this.#stalled > 0) this.#socket.pause();
    else this.#socket.resume();
  }

  /** Counts memory that is retained for the client. Returns false if a limit was exceeded and the socket was closed. */
  hold(weight: number): boolean {
    const { memoryUse } = this.#context;
    if (!memoryUse.add(this, weight)) this.closeHeavy();
    for (let largest = memoryUse.excess; largest !== undefined; largest = memoryUse.excess)
      largest.closeHeavy();
    return !this.#closing;
  }

  release(weight: number): void {
    this.#context.memoryUse.add(this, -weight);
  }

  closeHeavy(): void {
    this.#context.log.warn({ channels: this.#channels.size }, 'closed a socket that used too much memory');
    this.close(...closes.heavy);
  }

  /** Called after a channel was joined with this role. */
  joined(role: string): void {
    this.#hasJoined = true;
    if (role !== 'anon') this.#onUser();
  }

  /** Removes the channel, unless a newer channel has replaced it under the same topic. */
  forget(channel: { readonly topic: string }): void {
    if (this.#channels.get(channel.topic) !== channel) return;
    this.#channels.delete(channel.topic);
    if (this.#channels.size === 0) this.#emptySince = this.#context.uptime();
  }

  #touch(): void {
    this.#lastReceivedAt = this.#context.uptime();
  }

  #receive(data: Buffer, binary: boolean): void {
    this.#touch();
    if (this.#closing) return;
    this.#context.counts.received++;
    const message = decodeFrame(this.version, data, binary);
    if (message === undefined) {
      this.#context.log.debug({ bytes: data.length, binary }, 'dropped a malformed frame');
      return;
    }
    if (message.topic === 'phoenix') this.#heartbeat(message);
    else if (message.event === 'phx_join' && message.topic.startsWith('realtime:'))
      this.#join(message, weightOf(data));
    else this.#dispatch(message);
  }

  #heartbeat({ ref, event }: ClientMessage): void {
    if (event === 'heartbeat') this.send(encodeReply(this.version, { ref, topic: 'phoenix' }, 'ok', {}));
    else this.#unmatched('phoenix', ref);
  }

  #join(message: ClientMessage, weight: number): void {
    this.#channels.get(message.topic)?.close();
    const channel = new Channel(this, this.#context, message);
    this.#channels.set(message.topic, channel);
    this.#emptySince = undefined;
    if (!channel.hold(weight)) return;
    void channel.join(message);
  }

  #dispatch(message: ClientMessage): void {
    const channel = this.#channels.get(message.topic);
    if (channel !== undefined) channel.receive(message);
    else if (message.event === 'phx_leave') {
      this.send(encodeReply(this.version, message, 'ok', {}));
    } else this.#unmatched(message.topic, message.ref);
  }

  #unmatched(topic: string, ref: string | null): void {
    this.send(encodeReply(this.version, { ref, topic }, 'error', { reason: 'unmatched topic' }));
  }

  /**
   * Sends a message. All messages, including `system` and `phx_close`, are sent with this function, so all of them have
   * the same encoding.
   */
  push(head: MessageHead, payloadJson: string): void {
    this.send(encodeJson(this.version, head, payloadJson));
  }

  #leaveAll(): void {
    for (const channel of [...this.#channels.values()]) channel.drop();
    this.#channels.clear();
  }

  #closed(): void {
    this.#closing = true;
    this.#context.connections.delete(this);
    this.#context.idle.delete(this);
    this.#leaveAll();
  }
}
