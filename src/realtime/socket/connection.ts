/** One WebSocket: frames in, frames out, and the channels that are joined over it. */
import type { WebSocket } from 'ws';
import {
  type ClientMessage,
  decodeFrame,
  encodeJson,
  encodeReply,
  type Frame,
  type Version,
} from '../core/frame.ts';
import { weightOf } from '../core/holdings.ts';
import { closes } from '../errors.ts';
import { Channel } from './channel.ts';
import type { SocketContext } from './context.ts';

export interface ConnectionOptions {
  readonly version: Version;
  /** The verified key of the handshake: the token of channels that bring none. */
  readonly token: string;
  /** The `x-` headers of the handshake as JSON, for `request.headers`. */
  readonly headersJson: string;
  /** False for a web page of another origin. */
  readonly mayUseSecretKeys: boolean;
  /** Called when a channel is joined as somebody else than `anon`. */
  readonly onUser: () => void;
}

export class Connection {
  readonly version: Version;
  readonly token: string;
  readonly headersJson: string;
  readonly mayUseSecretKeys: boolean;
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

  constructor(socket: WebSocket, context: SocketContext, options: ConnectionOptions) {
    this.#socket = socket;
    this.#context = context;
    this.version = options.version;
    this.token = options.token;
    this.headersJson = options.headersJson;
    this.mayUseSecretKeys = options.mayUseSecretKeys;
    this.#onUser = options.onUser;
    const now = context.uptime();
    this.#openedAt = now;
    this.#lastReceivedAt = now;
    this.#emptySince = now;
    context.connections.add(this);
    context.idle.set(this, now + Math.min(context.limits.idleTimeoutMs, context.limits.joinTimeoutMs));
    socket.on('message', (data: Buffer, binary: boolean) => this.#receive(data, binary));
    socket.on('ping', () => this.#touch());
    socket.on('pong', () => this.#touch());
    // ws has closed the socket already (an oversized frame, invalid UTF-8); `close` follows.
    socket.on('error', (error) => context.log.debug({ error: error.message }, 'socket failed'));
    socket.on('close', () => this.#closed());
  }

  get channels(): ReadonlyMap<string, Channel> {
    return this.#channels;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** Drops the frame and closes the socket of a reader that does not keep up. */
  send(frame: Frame): void {
    if (this.#closing || this.#socket.readyState !== 1) return;
    const { maxBufferedBytes } = this.#context.limits;
    const waiting = this.#socket.bufferedAmount;
    if (waiting > 0 && waiting + frame.data.length > maxBufferedBytes) {
      this.#context.log.warn(
        { waitingBytes: waiting, channels: this.#channels.size },
        'slow consumer is closed',
      );
      this.close(...closes.slow);
      return;
    }
    this.#socket.send(frame.data, { binary: frame.binary });
  }

  close(code: number, reason: string): void {
    if (this.#closing) return;
    this.#closing = true;
    this.#socket.close(code, reason);
    // A peer that does not read does not answer the close either.
    setTimeout(() => this.#socket.terminate(), 1000).unref();
    this.#leaveAll();
  }

  /** The service stops: clients come back by themselves. */
  disconnect(): void {
    for (const channel of this.#channels.values()) channel.announceDisconnect();
    this.close(...closes.restart);
  }

  /** Looks whether the socket may stay; called when its deadline is due. */
  checkIdle(): void {
    const { uptime, limits, idle } = this.#context;
    const now = uptime();
    const idleAt = this.#lastReceivedAt + limits.idleTimeoutMs;
    // Joins that are refused are none.
    const emptyAt = this.#hasJoined
      ? (this.#emptySince ?? Number.POSITIVE_INFINITY) + limits.emptySocketMs
      : this.#openedAt + limits.joinTimeoutMs;
    if (now >= idleAt || now >= emptyAt) this.close(...closes.idle);
    else idle.set(this, Math.min(idleAt, emptyAt));
  }

  /** While a channel's queue is full the socket is not read: TCP tells the client to wait. */
  stall(by: 1 | -1): void {
    this.#stalled += by;
    if (this.#closing) return;
    if (this.#stalled > 0) this.#socket.pause();
    else this.#socket.resume();
  }

  /** Memory that is kept for this client. False: it is too much, and the socket is closed. */
  hold(weight: number): boolean {
    const { holdings } = this.#context;
    if (!holdings.add(this, weight)) this.#closeHeavy();
    for (let most = holdings.excess; most !== undefined; most = holdings.excess) most.#closeHeavy();
    return !this.#closing;
  }

  release(weight: number): void {
    this.#context.holdings.add(this, -weight);
  }

  #closeHeavy(): void {
    this.#context.log.warn(
      { channels: this.#channels.size },
      'a socket that takes too much memory is closed',
    );
    this.close(...closes.heavy);
  }

  /** A channel was let in as this role. */
  joined(role: string): void {
    this.#hasJoined = true;
    if (role !== 'anon') this.#onUser();
  }

  /** Only if it still is the channel of that topic. */
  forget(channel: Channel): void {
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
    const message = decodeFrame(this.version, data, binary);
    if (message === undefined) {
      this.#context.log.debug({ bytes: data.length, binary }, 'malformed frame is dropped');
      return;
    }
    if (message.topic === 'phoenix') this.#heartbeat(message);
    else if (message.event === 'phx_join' && message.topic.startsWith('realtime:'))
      this.#join(message, weightOf(data));
    else this.#dispatch(message);
  }

  #heartbeat({ ref, event }: ClientMessage): void {
    if (event === 'heartbeat') this.send(encodeReply(this.version, null, ref, 'phoenix', 'ok', {}));
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
      this.send(encodeReply(this.version, message.joinRef, message.ref, message.topic, 'ok', {}));
    } else this.#unmatched(message.topic, message.ref);
  }

  #unmatched(topic: string, ref: string | null): void {
    this.send(encodeReply(this.version, null, ref, topic, 'error', { reason: 'unmatched topic' }));
  }

  /** `system` and `phx_close` go through here, so that all channels speak alike. */
  push(joinRef: string | null, ref: string | null, topic: string, event: string, payloadJson: string): void {
    this.send(encodeJson(this.version, joinRef, ref, topic, event, payloadJson));
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
