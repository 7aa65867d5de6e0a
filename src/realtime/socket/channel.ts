/**
 * One membership of one socket in one topic: join, rights, broadcast, presence, token, leave. What a client sends on a
 * channel is worked off in order; whatever arrives while PostgreSQL is asked waits.
 */
import { randomUUID } from 'node:crypto';
import type { Subscription } from '../changes/feed.ts';
import {
  type Broadcast,
  type ClientMessage,
  encodeBroadcast,
  encodeReply,
  type Frame,
  type Version,
} from '../core/frame.ts';
import { bindingId, type JoinRequest, parseJoin, parseReplay } from '../core/join.ts';
import { CallWindow } from '../core/rate.ts';
import { type Caller, cleanToken, judgeToken } from '../core/token.ts';
import { ChannelError, joinRefusals, readRevoked, systemErrors, unauthorizedRead } from '../errors.ts';
import type { Member, Room } from '../hub.ts';
import type { MessageRow } from '../queries.ts';
import type { Extension, RightsQuery } from '../rights.ts';
import type { Connection } from './connection.ts';
import type { SocketContext } from './context.ts';

const confirmTokenMs = 5 * 60_000;
const replicationReadyMs = 60_000;

/** Undefined: not asked yet. */
interface KnownRights {
  readBroadcast: boolean | undefined;
  readPresence: boolean | undefined;
  writeBroadcast: boolean | undefined;
  writePresence: boolean | undefined;
}

const nothingAsked: KnownRights = {
  readBroadcast: undefined,
  readPresence: undefined,
  writeBroadcast: undefined,
  writePresence: undefined,
};
const everything: KnownRights = {
  readBroadcast: true,
  readPresence: true,
  writeBroadcast: true,
  writePresence: true,
};

export class Channel implements Member {
  readonly topic: string;
  readonly version: Version;
  readonly #connection: Connection;
  readonly #context: SocketContext;
  readonly #joinRef: string | null;
  readonly #subTopic: string;
  readonly #waiting: ClientMessage[] = [];
  readonly #presenceCalls = new CallWindow();
  #busy = true;
  #stalls = false;
  #closed = false;
  #refusalTimer: NodeJS.Timeout | undefined;
  #request: JoinRequest | undefined;
  #presenceKey = '';
  #presenceEnabled = false;
  #token = '';
  #caller: Caller | undefined;
  #rights: KnownRights = { ...nothingAsked };
  #room: Room | undefined;
  #subscription: Subscription | undefined;
  #abandonReadyWait: (() => void) | undefined;
  replayed: ReadonlySet<string> | undefined;

  constructor(connection: Connection, context: SocketContext, join: ClientMessage) {
    this.#connection = connection;
    this.#context = context;
    this.version = connection.version;
    this.topic = join.topic;
    this.#subTopic = join.topic.slice('realtime:'.length);
    this.#joinRef = join.joinRef ?? join.ref;
  }

  get readsBroadcast(): boolean {
    return this.#rights.readBroadcast === true;
  }

  get readsPresence(): boolean {
    return this.#rights.readPresence === true;
  }

  send(frame: Frame): void {
    if (this.#closed) return;
    this.#countEvent();
    this.#connection.send(frame);
  }

  // ---- joining

  async join(message: ClientMessage): Promise<void> {
    try {
      await this.#tryJoin(message);
    } catch (error) {
      this.#refuse(message, error);
      return;
    }
    if (!this.#closed) this.#workOff();
  }

  async #tryJoin(message: ClientMessage): Promise<void> {
    const { limits, clock, joins, hub, feed } = this.#context;
    if (this.#subTopic === '') throw ChannelError.ofJoin(joinRefusals.topicName);
    const request = parseJoin(message.payload, this.#subTopic);
    this.#request = request;
    if (limits.privateOnly && !request.private) throw ChannelError.ofJoin(joinRefusals.privateOnly);
    if (joins.perSecond(clock.now()) >= limits.maxJoinsPerSecond)
      throw ChannelError.ofJoin(joinRefusals.tooManyJoins);
    joins.add(clock.now());
    if (this.#connection.channels.size > limits.maxChannelsPerClient) {
      throw ChannelError.ofJoin(joinRefusals.tooManyChannels);
    }
    this.#token = request.accessToken ?? this.#connection.token;
    this.#caller = this.#judge(this.#token);
    this.#presenceEnabled = request.presence.enabled;
    this.#presenceKey = request.presence.key ?? this.#context.newUuid();
    await this.#askToRead(request, this.#caller);
    if (this.#closed) return;
    // Whatever the database tells this topic from now on is delivered, also when the stream is not open yet.
    await feed.watchMessages();
    if (this.#closed) return;
    const replay = await this.#replayable(request);
    if (this.#closed) return;
    this.replayed = replay === undefined ? undefined : new Set(replay.map(({ id }) => id));
    this.#room = hub.join(this.#subTopic, request.private, this);
    const bindings = request.postgresChanges.map((entry) => ({ id: bindingId(entry), entry }));
    this.#reply(message.ref, 'ok', {
      postgres_changes: bindings.map(({ id, entry }) => ({ ...entry, id })),
    });
    if (this.#presenceEnabled) this.#sendPresenceState();
    for (const row of replay ?? []) this.#sendReplayed(row);
    if (request.broadcast.replicationReady) this.#awaitReplication();
    if (bindings.length > 0) {
      this.#subscription = feed.subscribe({
        topic: this.topic,
        version: this.version,
        bare: !request.hasConfig,
        caller: this.#caller,
        bindings,
        send: (frame) => this.send(frame),
        status: (status, text) => this.#system('postgres_changes', status, text),
      });
    }
  }

  /** @throws {ChannelError} */
  #judge(token: string): Caller {
    const { keys, clock, tokens } = this.#context;
    const now = clock.now();
    const judged = judgeToken(keys.verify(cleanToken(token)), now);
    if (!judged.ok) throw ChannelError.ofToken(judged.fault);
    tokens.set(this, Math.min(now + confirmTokenMs, judged.caller.expiresAt * 1000));
    return judged.caller;
  }

  async #askToRead(request: JoinRequest, caller: Caller): Promise<void> {
    if (!request.private) {
      this.#rights = { ...everything };
      return;
    }
    const extensions: Extension[] = this.#presenceEnabled ? ['broadcast', 'presence'] : ['broadcast'];
    const readable = await this.#context.rights.read(this.#query(caller), extensions);
    this.#rights = {
      ...nothingAsked,
      readBroadcast: readable.has('broadcast'),
      readPresence: this.#presenceEnabled ? readable.has('presence') : undefined,
    };
    if (readable.size === 0) {
      const text = unauthorizedRead(this.#subTopic);
      throw new ChannelError(`Unauthorized: ${text}`, text);
    }
  }

  #query(caller: Caller): RightsQuery {
    return { subTopic: this.#subTopic, caller, headersJson: this.#connection.headersJson };
  }

  async #replayable(request: JoinRequest): Promise<MessageRow[] | undefined> {
    if (request.replay === undefined) return undefined;
    if (!request.private) throw ChannelError.ofJoin(joinRefusals.replayPublic);
    if (!this.readsBroadcast) {
      const text = unauthorizedRead(this.#subTopic);
      throw new ChannelError(`Unauthorized: ${text}`, text);
    }
    const params = parseReplay(request.replay);
    if (params === undefined) throw ChannelError.ofJoin(joinRefusals.replayParams);
    try {
      return await this.#context.messagesSince(this.#subTopic, params.sinceMs, params.limit);
    } catch (error) {
      throw new ChannelError(joinRefusals.replayFailed, systemErrors.noDatabase, { cause: error });
    }
  }

  #sendReplayed({ id, event, payload_text: json, binary_payload: bytes }: MessageRow): void {
    const meta = JSON.stringify({ id, replayed: true });
    const broadcast: Broadcast =
      bytes !== null
        ? { form: 'user', event: event ?? '', encoding: 'binary', data: bytes, metadata: meta }
        : {
            form: 'text',
            payloadJson: `{"type":"broadcast","event":${JSON.stringify(event)},"payload":${json ?? 'null'},"meta":${meta}}`,
          };
    const frame = encodeBroadcast(this.version, this.topic, broadcast);
    if (frame !== undefined) this.send(frame);
  }

  #refuse(message: ClientMessage, error: unknown): void {
    if (this.#closed) return;
    const { log, limits } = this.#context;
    const reason = error instanceof ChannelError ? error.reason : joinRefusals.unknown;
    if (error instanceof ChannelError) log.debug({ topic: this.topic, reason }, 'join refused');
    else log.error({ topic: this.topic, error }, 'join failed');
    this.#context.tokens.delete(this);
    this.#refusalTimer = setTimeout(() => {
      this.#reply(message.ref, 'error', { reason });
      this.drop();
      if (reason === joinRefusals.tooManyJoins) this.#connection.close(1012, '');
    }, limits.joinErrorDelayMs);
  }

  // ---- what the client sends afterwards

  receive(message: ClientMessage): void {
    if (message.event === 'phx_leave') {
      this.#leave(message);
      return;
    }
    if (!this.#busy && this.#waiting.length === 0) {
      this.#work(message);
      return;
    }
    // A refused join stays refused.
    if (this.#refusalTimer !== undefined) return;
    this.#waiting.push(message);
    if (!this.#stalls && this.#waiting.length >= this.#context.limits.maxWaitingFrames) {
      this.#stalls = true;
      this.#connection.stall(1);
    }
  }

  #workOff(): void {
    this.#busy = false;
    while (!this.#busy && !this.#closed) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#work(next);
    }
    if (this.#stalls && this.#waiting.length === 0) this.#unstall();
  }

  #unstall(): void {
    this.#stalls = false;
    this.#connection.stall(-1);
  }

  #work(message: ClientMessage): void {
    const pending = this.#handle(message);
    if (pending === undefined) return;
    this.#busy = true;
    pending
      .catch((error: unknown) => {
        this.#context.log.error({ topic: this.topic, event: message.event, error }, 'push failed');
      })
      .then(() => {
        if (!this.#closed) this.#workOff();
      });
  }

  /** A promise when PostgreSQL has to be asked first. */
  #handle(message: ClientMessage): Promise<void> | undefined {
    switch (message.event) {
      case 'broadcast':
        return this.#broadcast(message);
      case 'presence':
        return this.#presence(message);
      case 'access_token':
        return this.#accessToken(message);
      default:
        this.#countEvent();
        return undefined;
    }
  }

  // ---- broadcast

  #broadcast(message: ClientMessage): Promise<void> | undefined {
    if (this.#rights.writeBroadcast !== undefined) {
      this.#sendBroadcast(message);
      return undefined;
    }
    return this.#askToWrite(['broadcast', 'presence']).then((asked) => {
      if (asked && !this.#closed) this.#sendBroadcast(message);
    });
  }

  #sendBroadcast({ payload, ref }: ClientMessage): void {
    // Denied: nothing is said, not even with ack.
    if (this.#rights.writeBroadcast !== true || this.#request === undefined) return;
    const { hub, limits } = this.#context;
    const { ack, self } = this.#request.broadcast;
    this.#countEvent();
    if (this.#closed) return;
    let broadcast: Broadcast;
    let bytes: number;
    if (payload.kind === 'user-broadcast') {
      broadcast = { form: 'user', event: payload.event, encoding: payload.encoding, data: payload.data };
      bytes = payload.data.length;
    } else if (payload.kind === 'json' && isObject(payload.value)) {
      broadcast = { form: 'text', payloadJson: payload.text };
      bytes = Buffer.byteLength(payload.text);
    } else return;
    if (bytes > limits.maxPayloadBytes) {
      if (ack) this.#reply(ref, 'error', 'payload_size_exceeded');
      return;
    }
    hub.publish(this.#subTopic, this.#request.private, broadcast, self ? undefined : this);
    if (ack) this.#reply(ref, 'ok', {});
  }

  /** False when the answer could not be had; then nothing is kept. */
  async #askToWrite(extensions: readonly Extension[]): Promise<boolean> {
    const caller = this.#caller as Caller;
    try {
      const writable = await this.#context.rights.write(this.#query(caller), extensions);
      if (this.#caller !== caller) return false; // the token changed meanwhile
      this.#rights.writeBroadcast = writable.has('broadcast');
      this.#rights.writePresence = writable.has('presence');
      return true;
    } catch (error) {
      this.#context.log.warn({ topic: this.topic, error }, 'write rights could not be asked');
      return false;
    }
  }

  // ---- presence

  #presence(message: ClientMessage): Promise<void> | undefined {
    const call = message.payload.kind === 'json' ? message.payload.value : undefined;
    if (!isObject(call) || typeof call.event !== 'string') {
      this.#reply(message.ref, 'ok', {});
      return undefined;
    }
    const { limits, clock } = this.#context;
    const { maxCalls, windowMs } = limits.clientPresence;
    if (!this.#presenceCalls.take(clock.now(), maxCalls, windowMs)) {
      this.#shutDown(systemErrors.clientPresence);
      return undefined;
    }
    switch (call.event.toLowerCase()) {
      case 'track':
        if (this.#rights.writePresence !== undefined) {
          this.#track(call, message.ref);
          return undefined;
        }
        return this.#enablePresence().then((asked) => {
          if (this.#closed) return;
          if (asked) this.#track(call, message.ref);
          else this.#reply(message.ref, 'error', {});
        });
      case 'untrack':
        if (this.#room !== undefined) this.#context.hub.untrack(this.#room, this);
        this.#reply(message.ref, 'ok', {});
        return undefined;
      default:
        this.#reply(message.ref, 'error', {});
        return undefined;
    }
  }

  async #enablePresence(): Promise<boolean> {
    if (this.#rights.readPresence === undefined) {
      try {
        const readable = await this.#context.rights.read(this.#query(this.#caller as Caller), ['presence']);
        this.#rights.readPresence = readable.has('presence');
      } catch {
        return false;
      }
    }
    return this.#askToWrite(['broadcast', 'presence']);
  }

  #track(call: Record<string, unknown>, ref: string | null): void {
    const { hub, limits, clock, presenceEvents } = this.#context;
    if (this.#rights.writePresence !== true || this.#room === undefined) {
      this.#reply(ref, 'error', {});
      return;
    }
    const payload = call.payload === undefined ? {} : call.payload;
    if (!isObject(payload)) {
      this.#reply(ref, 'error', { reason: 'Presence track payload must be a map' });
      return;
    }
    if (Buffer.byteLength(JSON.stringify(payload)) > limits.maxPayloadBytes) {
      this.#shutDown(systemErrors.trackSize);
      return;
    }
    if (presenceEvents.perSecond(clock.now()) > limits.maxPresenceEventsPerSecond) {
      this.#shutDown(systemErrors.tooManyPresence);
      return;
    }
    presenceEvents.add(clock.now());
    this.#presenceEnabled = true;
    hub.track(this.#room, this, this.#presenceKey, payload);
    this.#reply(ref, 'ok', {});
  }

  #sendPresenceState(): void {
    if (!this.readsPresence || this.#room === undefined) return;
    const state = this.#context.hub.presenceState(this.#room);
    this.#connection.push(this.#joinRef, null, this.topic, 'presence_state', state);
  }

  // ---- token

  #accessToken({ payload }: ClientMessage): Promise<void> | undefined {
    const token = payload.kind === 'json' && isObject(payload.value) ? payload.value.access_token : undefined;
    if (typeof token !== 'string' || token === this.#token || token.startsWith('sb_')) return undefined;
    return this.#replaceToken(token);
  }

  async #replaceToken(token: string): Promise<void> {
    const before = this.#rights;
    const request = this.#request as JoinRequest;
    try {
      this.#token = token;
      const caller = this.#judge(token);
      this.#caller = caller;
      await this.#askToRead(request, caller);
      if (this.#closed) return;
      const revoked =
        (before.readBroadcast === true && this.#rights.readBroadcast === false) ||
        (before.readPresence === true && this.#rights.readPresence === false);
      if (revoked) this.#shutDown(readRevoked(this.#subTopic));
      else this.#subscription?.replaceCaller(caller);
    } catch (error) {
      if (this.#closed) return;
      if (!(error instanceof ChannelError))
        this.#context.log.error({ topic: this.topic, error }, 'token refresh failed');
      this.#shutDown(error instanceof ChannelError ? error.message : systemErrors.noDatabase);
    }
  }

  /** Its token is expired or was not judged for a while. */
  confirmToken(): void {
    if (this.#closed || this.#caller === undefined) return;
    try {
      this.#judge(this.#token);
    } catch (error) {
      this.#shutDown((error as Error).message);
    }
  }

  // ---- replication_ready

  #awaitReplication(): void {
    const ready = (): void => this.#system('system', 'ok', 'Replication connection established');
    const timer = setTimeout(() => this.#shutDown(systemErrors.replicationLate), replicationReadyMs);
    const undo = this.#context.feed.onceLive(() => {
      clearTimeout(timer);
      ready();
    });
    this.#abandonReadyWait = () => {
      clearTimeout(timer);
      undo();
    };
  }

  // ---- leaving

  #leave(message: ClientMessage): void {
    this.#reply(message.ref, 'ok', {});
    this.close();
  }

  /** Tells the client that the channel is over for good. */
  close(): void {
    if (!this.#closed && this.#refusalTimer === undefined) {
      this.#connection.push(this.#joinRef, this.#joinRef, this.topic, 'phx_close', '{}');
    }
    this.drop();
  }

  #shutDown(message: string): void {
    if (this.#closed) return;
    this.#context.log.debug({ topic: this.topic, message }, 'channel is shut down');
    this.#system('system', 'error', message);
    this.close();
  }

  announceDisconnect(): void {
    const payload = JSON.stringify({
      extension: 'system',
      status: 'ok',
      message: 'Server requested disconnect',
    });
    this.#connection.push(null, null, this.topic, 'system', payload);
  }

  /** Frees everything without a word. */
  drop(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#refusalTimer);
    this.#abandonReadyWait?.();
    this.#context.tokens.delete(this);
    this.#subscription?.close();
    if (this.#room !== undefined) this.#context.hub.leave(this.#room, this);
    if (this.#stalls) this.#unstall();
    this.#waiting.length = 0;
    this.#connection.forget(this);
  }

  #reply(ref: string | null, status: 'ok' | 'error', response: unknown): void {
    if (this.#closed) return;
    this.#connection.send(encodeReply(this.version, this.#joinRef, ref, this.topic, status, response));
  }

  #system(extension: 'system' | 'postgres_changes', status: 'ok' | 'error', message: string): void {
    if (this.#closed) return;
    const payload = JSON.stringify({ extension, status, message, channel: this.#subTopic });
    this.#connection.push(this.#joinRef, null, this.topic, 'system', payload);
  }

  #countEvent(): void {
    const { limits, events, clock } = this.#context;
    if (limits.maxEventsPerSecond === Number.POSITIVE_INFINITY) return;
    const now = clock.now();
    events.add(now);
    if (events.perSecond(now) > limits.maxEventsPerSecond) this.#shutDown(systemErrors.tooManyMessages);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const newUuid = (): string => randomUUID();
