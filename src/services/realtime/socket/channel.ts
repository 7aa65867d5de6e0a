/**
 * A socket's membership in a topic, from join to leave, including token refreshes. Separate classes, each in its own
 * file, implement permissions, broadcast, presence and changes.
 */
import { randomUUID } from 'node:crypto';
import { isRecord } from '../../../base/shared/json.ts';
import type { ClientMessage, Frame, Version } from '../core/frame.ts';
import { type JoinRequest, parseJoin } from '../core/join.ts';
import { type Caller, clientOf } from '../core/token.ts';
import { ChannelError, joinRejections, readRevoked, systemErrors } from '../errors.ts';
import type { Resumed } from '../handover/queries.ts';
import { identityOf } from '../handover/records.ts';
import type { Topic } from '../hub.ts';
import { findReplay, receiveBroadcast, sendReplayed } from './channel-broadcast.ts';
import { bindingsOf, ChannelChanges } from './channel-changes.ts';
import { ChannelPermissions } from './channel-permissions.ts';
import { ChannelPresence } from './channel-presence.ts';
import { ChannelSender } from './channel-sender.ts';
import { ChannelToken } from './channel-token.ts';
import type { ChannelSocket, JoinedChannel, SocketContext } from './context.ts';
import { Inbox } from './inbox.ts';
import type { Membership } from './membership.ts';

export class Channel implements Membership, JoinedChannel {
  readonly topic: string;
  readonly subTopic: string;
  readonly version: Version;
  readonly context: SocketContext;
  readonly sender: ChannelSender;
  readonly permissions: ChannelPermissions;
  readonly token: ChannelToken;
  readonly #connection: ChannelSocket;
  readonly #inbox: Inbox;
  readonly #presence: ChannelPresence;
  readonly #changes: ChannelChanges;
  #isClosed = false;
  #held = 0;
  #refusalTimer: NodeJS.Timeout | undefined;
  #request: JoinRequest | undefined;
  #joinedTopic: Topic | undefined;
  #replayed: ReadonlySet<string> | undefined;
  #unwatch: () => void = () => undefined;

  constructor(connection: ChannelSocket, ctx: SocketContext, join: ClientMessage) {
    this.#connection = connection;
    this.context = ctx;
    this.version = connection.version;
    this.topic = join.topic;
    this.subTopic = join.topic.slice('realtime:'.length);
    this.sender = new ChannelSender(connection, join.topic, join.joinRef ?? join.ref);
    this.permissions = new ChannelPermissions(ctx, this.subTopic, connection);
    this.token = new ChannelToken(ctx, this, connection.mayUseSecretKeys);
    this.#presence = new ChannelPresence(this);
    this.#changes = new ChannelChanges(this);
    this.#inbox = new Inbox({
      work: (message) => this.#handle(message),
      failed: ({ event }, error) => ctx.log.error({ topic: this.topic, event, error }, 'push failed'),
      maxWaiting: ctx.limits.maxWaitingFrames,
      stall: (by) => connection.stall(by),
    });
  }

  get request(): JoinRequest | undefined {
    return this.#request;
  }

  get joinedTopic(): Topic | undefined {
    return this.#joinedTopic;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get replayed(): ReadonlySet<string> | undefined {
    return this.#replayed;
  }

  get readsBroadcast(): boolean {
    return this.permissions.current.readBroadcast === true;
  }

  get readsPresence(): boolean {
    return this.permissions.current.readPresence === true;
  }

  send(frame: Frame): void {
    if (this.#isClosed) return;
    this.countEvent();
    this.sender.frame(frame);
  }

  hold(weight: number): boolean {
    if (this.#isClosed) return false;
    // The count is updated before the limit is checked. If the limit is exceeded, the socket is closed, and closing it
    // releases its channels' memory.
    this.#held += weight;
    return this.#connection.hold(weight);
  }

  countEvent(): void {
    const { limits, events, uptime } = this.context;
    if (limits.maxEventsPerSecond === Number.POSITIVE_INFINITY) return;
    const now = uptime();
    events.add(now);
    if (events.perSecond(now) > limits.maxEventsPerSecond) this.shutDown(systemErrors.tooManyMessages);
  }

  // ---- join

  async join(message: ClientMessage): Promise<void> {
    try {
      await this.#tryJoin(message);
    } catch (error) {
      this.#refuse(message, error);
      return;
    }
    if (!this.#isClosed) this.#inbox.open();
  }

  async #tryJoin(message: ClientMessage): Promise<void> {
    const { hub, feed, newUuid } = this.context;
    const request = this.#readJoin(message);
    this.#request = request;
    const caller = this.token.replace(request.accessToken ?? this.#connection.token);
    this.#presence.begin(request.presence.enabled, request.presence.key ?? newUuid());
    await this.#queryRead(request, caller);
    if (this.#isClosed) return;
    // After this call, database messages for this topic are delivered even if the stream isn't open yet.
    const unwatch = await feed.watchMessages();
    if (this.#isClosed) {
      unwatch();
      return;
    }
    this.#unwatch = unwatch;
    const bindings = bindingsOf(request);
    if (bindings.length > 0 && !(await feed.hasCapacity()))
      throw ChannelError.ofJoin(joinRejections.unableToConnect);
    if (this.#isClosed) return;
    const ref = Number(message.ref);
    const identity =
      bindings.length > 0 && Number.isSafeInteger(ref) ? this.#identityOf(request, caller) : undefined;
    const resumed = identity && (await this.#takeRecord(identity, ref));
    if (this.#isClosed) return;
    const replay = await findReplay(this, request, clientOf(caller, this.#connection.address));
    if (this.#isClosed) return;
    if (replay !== undefined) this.#replayed = new Set(replay.map(({ id }) => id));
    this.#joinedTopic = hub.join(this.subTopic, request.private, this);
    this.#connection.joined(caller.role);
    this.context.counts.joined++;
    const { role, sub } = caller;
    this.context.log.info({ topic: this.topic, role, userId: sub, private: request.private }, 'joined');
    this.sender.reply(message.ref, 'ok', {
      postgres_changes: bindings.map(({ id, entry }) => ({ ...entry, id })),
    });
    if (this.#presence.enabled) this.#presence.sendState();
    for (const row of replay ?? []) sendReplayed(this, row);
    if (request.broadcast.replicationReady) this.#changes.awaitReplication();
    this.#changes.subscribe({ bindings, request, caller, identity, ref, resumed });
  }

  /** Identifies this client's channel, also in another process and with a newer token of the same session. */
  #identityOf({ private: isPrivate, postgresChanges, hasConfig }: JoinRequest, caller: Caller): Buffer {
    const { role, claims } = caller;
    const client = clientOf(caller, this.#connection.address).key;
    return identityOf([
      role,
      client,
      claims.session_id,
      this.topic,
      isPrivate,
      postgresChanges,
      hasConfig,
      this.version,
    ]);
  }

  /** Takes the record of the client's channel in a process that has ended. Only a client that joins again has one. */
  async #takeRecord(identity: Buffer, ref: number): Promise<Resumed | undefined> {
    if (ref < 2) return undefined;
    try {
      return await this.context.feed.records?.take(identity, ref);
    } catch (error) {
      this.context.log.warn(
        { topic: this.topic, error },
        'failed to find out which changes a client has missed',
      );
      return undefined;
    }
  }

  /**
   * Parses the join request and counts it toward the limits.
   * @throws {ChannelError} if the topic isn't allowed or a limit is reached
   */
  #readJoin({ payload }: ClientMessage): JoinRequest {
    const { limits, uptime, joins } = this.context;
    if (this.subTopic === '') throw ChannelError.ofJoin(joinRejections.topicName);
    const request = parseJoin(payload, this.subTopic);
    if (limits.privateOnly && !request.private) throw ChannelError.ofJoin(joinRejections.privateOnly);
    if (joins.perSecond(uptime()) >= limits.maxJoinsPerSecond)
      throw ChannelError.ofJoin(joinRejections.tooManyJoins);
    joins.add(uptime());
    if (this.#connection.channels.size > limits.maxChannelsPerClient)
      throw ChannelError.ofJoin(joinRejections.tooManyChannels);
    return request;
  }

  /** Queries the read permissions. @throws {ChannelError} */
  async #queryRead(request: JoinRequest, caller: Caller): Promise<void> {
    if (request.private) await this.permissions.queryRead(caller, this.#presence.enabled);
    else this.permissions.allowAll();
  }

  #refuse(message: ClientMessage, error: unknown): void {
    if (this.#isClosed) return;
    const { log, limits, counts } = this.context;
    if (error instanceof ChannelError) counts.rejectedJoins++;
    else counts.failedJoins++;
    const reason = error instanceof ChannelError ? error.reason : joinRejections.unknown;
    if (error instanceof ChannelError) log.debug({ topic: this.topic, reason }, 'rejected a join');
    else log.error({ topic: this.topic, error }, 'join failed');
    this.token.forget();
    // Messages that a client sends to a rejected channel are ignored.
    this.#inbox.close();
    this.#refusalTimer = setTimeout(() => {
      this.sender.reply(message.ref, 'error', { reason });
      this.drop();
      if (reason === joinRejections.tooManyJoins) this.#connection.close(1012, '');
    }, limits.joinErrorDelayMs);
  }

  // ---- messages after the join

  receive(message: ClientMessage): void {
    if (message.event === 'phx_leave') {
      this.sender.reply(message.ref, 'ok', {});
      this.close();
    } else this.#inbox.receive(message);
  }

  #handle(message: ClientMessage): Promise<void> | undefined {
    switch (message.event) {
      case 'broadcast':
        return receiveBroadcast(this, message);
      case 'presence':
        return this.#presence.receive(message);
      case 'access_token':
        return this.#accessToken(message);
      default:
        this.countEvent();
        return undefined;
    }
  }

  // ---- token

  #accessToken({ payload }: ClientMessage): Promise<void> | undefined {
    const token = payload.kind === 'json' && isRecord(payload.value) ? payload.value.access_token : undefined;
    if (typeof token !== 'string' || token === this.token.text || token.startsWith('sb_')) return undefined;
    return this.#replaceToken(token);
  }

  async #replaceToken(token: string): Promise<void> {
    const before = this.permissions.current;
    try {
      const caller = this.token.replace(token);
      await this.#queryRead(this.#request as JoinRequest, caller);
      if (this.#isClosed) return;
      this.#connection.joined(caller.role);
      const { current } = this.permissions;
      const revoked =
        (before.readBroadcast === true && current.readBroadcast === false) ||
        (before.readPresence === true && current.readPresence === false);
      if (revoked) this.shutDown(readRevoked(this.subTopic));
      else this.#changes.replaceCaller(caller);
    } catch (error) {
      if (this.#isClosed) return;
      if (!(error instanceof ChannelError))
        this.context.log.error({ topic: this.topic, error }, 'token refresh failed');
      this.shutDown(error instanceof ChannelError ? error.message : systemErrors.noDatabase);
    }
  }

  /**
   * Called when the token expires, is due for a check, or the keys have changed. `renewed` contains the old and the
   * current token of the socket's API key, which a channel without its own token uses.
   */
  confirmToken(renewed?: { readonly from: string; readonly to: string }): void {
    if (this.#isClosed) return;
    try {
      if (renewed !== undefined && this.token.text === renewed.from && this.token.caller !== undefined)
        this.token.replace(renewed.to);
      this.token.confirm();
    } catch (error) {
      this.shutDown((error as Error).message);
    }
  }

  // ---- leave

  /** Notifies the client and closes the channel. */
  close(): void {
    if (this.#refusalTimer === undefined) this.sender.close();
    this.drop();
  }

  shutDown(message: string): void {
    if (this.#isClosed) return;
    this.context.log.debug({ topic: this.topic, message }, 'closed a channel');
    this.sender.system('system', 'error', message);
    this.close();
  }

  announceDisconnect(): void {
    this.sender.disconnect();
  }

  /** Releases all resources without notifying the client. */
  drop(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.sender.silence();
    clearTimeout(this.#refusalTimer);
    this.#connection.release(this.#held);
    this.#inbox.close();
    this.#changes.close();
    this.#unwatch();
    this.token.forget();
    if (this.#joinedTopic !== undefined) this.context.hub.leave(this.#joinedTopic, this);
    this.#connection.forget(this);
  }
}

export const newUuid = (): string => randomUUID();
