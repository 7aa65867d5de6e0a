/**
 * A socket's membership in a topic: join, token refresh and leave. Permissions, broadcast, presence and changes are
 * separate classes, each in its own file.
 */
import { randomUUID } from 'node:crypto';
import { isRecord } from '../../shared/is-record.ts';
import type { ClientMessage, Frame, Version } from '../core/frame.ts';
import { type JoinRequest, parseJoin } from '../core/join.ts';
import type { Caller } from '../core/token.ts';
import { ChannelError, joinRefusals, readRevoked, systemErrors } from '../errors.ts';
import type { Room } from '../hub.ts';
import { findReplay, receiveBroadcast, sendReplayed } from './channel-broadcast.ts';
import { bindingsOf, ChannelChanges } from './channel-changes.ts';
import { ChannelPresence } from './channel-presence.ts';
import { ChannelRights } from './channel-rights.ts';
import { ChannelSender } from './channel-sender.ts';
import type { ChannelSocket } from './channel-socket.ts';
import { ChannelToken } from './channel-token.ts';
import type { JoinedChannel, SocketContext } from './context.ts';
import { Inbox } from './inbox.ts';
import type { Membership } from './membership.ts';

export class Channel implements Membership, JoinedChannel {
  readonly topic: string;
  readonly subTopic: string;
  readonly version: Version;
  readonly context: SocketContext;
  readonly sender: ChannelSender;
  readonly rights: ChannelRights;
  readonly token: ChannelToken;
  readonly #connection: ChannelSocket;
  readonly #inbox: Inbox;
  readonly #presence: ChannelPresence;
  readonly #changes: ChannelChanges;
  #over = false;
  #held = 0;
  #refusalTimer: NodeJS.Timeout | undefined;
  #request: JoinRequest | undefined;
  #room: Room | undefined;
  #replayed: ReadonlySet<string> | undefined;

  constructor(connection: ChannelSocket, context: SocketContext, join: ClientMessage) {
    this.#connection = connection;
    this.context = context;
    this.version = connection.version;
    this.topic = join.topic;
    this.subTopic = join.topic.slice('realtime:'.length);
    this.sender = new ChannelSender(connection, join.topic, join.joinRef ?? join.ref);
    this.rights = new ChannelRights(context, this.subTopic, connection.headersJson);
    this.token = new ChannelToken(context, this, connection.mayUseSecretKeys);
    this.#presence = new ChannelPresence(this);
    this.#changes = new ChannelChanges(this);
    this.#inbox = new Inbox({
      work: (message) => this.#handle(message),
      failed: ({ event }, error) => context.log.error({ topic: this.topic, event, error }, 'push failed'),
      maxWaiting: context.limits.maxWaitingFrames,
      stall: (by) => connection.stall(by),
    });
  }

  get request(): JoinRequest | undefined {
    return this.#request;
  }

  get room(): Room | undefined {
    return this.#room;
  }

  get over(): boolean {
    return this.#over;
  }

  get replayed(): ReadonlySet<string> | undefined {
    return this.#replayed;
  }

  get readsBroadcast(): boolean {
    return this.rights.known.readBroadcast === true;
  }

  get readsPresence(): boolean {
    return this.rights.known.readPresence === true;
  }

  send(frame: Frame): void {
    if (this.#over) return;
    this.countEvent();
    this.sender.frame(frame);
  }

  hold(weight: number): boolean {
    if (this.#over) return false;
    // Updated first, because exceeding the limit closes the socket, which releases the memory of its channels.
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
    if (!this.#over) this.#inbox.open();
  }

  async #tryJoin(message: ClientMessage): Promise<void> {
    const { hub, feed, newUuid } = this.context;
    const request = this.#readJoin(message);
    this.#request = request;
    const caller = this.token.replace(request.accessToken ?? this.#connection.token);
    this.#presence.begin(request.presence.enabled, request.presence.key ?? newUuid());
    await this.#queryRead(request, caller);
    if (this.#over) return;
    // From this point, database messages for this topic are delivered even if the stream isn't open yet.
    await feed.watchMessages();
    if (this.#over) return;
    const replay = await findReplay(this, request);
    if (this.#over) return;
    if (replay !== undefined) this.#replayed = new Set(replay.map(({ id }) => id));
    this.#room = hub.join(this.subTopic, request.private, this);
    this.#connection.joined(caller.role);
    const bindings = bindingsOf(request);
    const { role, sub } = caller;
    this.context.log.info({ topic: this.topic, role, userId: sub, private: request.private }, 'joined');
    this.sender.reply(message.ref, 'ok', {
      postgres_changes: bindings.map(({ id, entry }) => ({ ...entry, id })),
    });
    if (this.#presence.enabled) this.#presence.sendState();
    for (const row of replay ?? []) sendReplayed(this, row);
    if (request.broadcast.replicationReady) this.#changes.awaitReplication();
    this.#changes.subscribe(bindings, request, caller);
  }

  /** Parses the request and counts it toward the limits. @throws {ChannelError} if a limit is reached */
  #readJoin({ payload }: ClientMessage): JoinRequest {
    const { limits, uptime, joins } = this.context;
    if (this.subTopic === '') throw ChannelError.ofJoin(joinRefusals.topicName);
    const request = parseJoin(payload, this.subTopic);
    if (limits.privateOnly && !request.private) throw ChannelError.ofJoin(joinRefusals.privateOnly);
    if (joins.perSecond(uptime()) >= limits.maxJoinsPerSecond)
      throw ChannelError.ofJoin(joinRefusals.tooManyJoins);
    joins.add(uptime());
    if (this.#connection.channels.size > limits.maxChannelsPerClient)
      throw ChannelError.ofJoin(joinRefusals.tooManyChannels);
    return request;
  }

  /** @throws {ChannelError} */
  async #queryRead(request: JoinRequest, caller: Caller): Promise<void> {
    if (request.private) await this.rights.queryRead(caller, this.#presence.enabled);
    else this.rights.allowEverything();
  }

  #refuse(message: ClientMessage, error: unknown): void {
    if (this.#over) return;
    const { log, limits } = this.context;
    const reason = error instanceof ChannelError ? error.reason : joinRefusals.unknown;
    if (error instanceof ChannelError) log.debug({ topic: this.topic, reason }, 'rejected a join');
    else log.error({ topic: this.topic, error }, 'join failed');
    this.token.forget();
    // A rejected channel ignores later messages.
    this.#inbox.close();
    this.#refusalTimer = setTimeout(() => {
      this.sender.reply(message.ref, 'error', { reason });
      this.drop();
      if (reason === joinRefusals.tooManyJoins) this.#connection.close(1012, '');
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
    const before = this.rights.known;
    try {
      const caller = this.token.replace(token);
      await this.#queryRead(this.#request as JoinRequest, caller);
      if (this.#over) return;
      this.#connection.joined(caller.role);
      const { known } = this.rights;
      const revoked =
        (before.readBroadcast === true && known.readBroadcast === false) ||
        (before.readPresence === true && known.readPresence === false);
      if (revoked) this.shutDown(readRevoked(this.subTopic));
      else this.#changes.replaceCaller(caller);
    } catch (error) {
      if (this.#over) return;
      if (!(error instanceof ChannelError))
        this.context.log.error({ topic: this.topic, error }, 'token refresh failed');
      this.shutDown(error instanceof ChannelError ? error.message : systemErrors.noDatabase);
    }
  }

  /** Called when the token expires or is due for a check. */
  confirmToken(): void {
    if (this.#over) return;
    try {
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
    if (this.#over) return;
    this.context.log.debug({ topic: this.topic, message }, 'closed a channel');
    this.sender.system('system', 'error', message);
    this.close();
  }

  announceDisconnect(): void {
    this.sender.disconnect();
  }

  /** Releases all resources without notifying the client. */
  drop(): void {
    if (this.#over) return;
    this.#over = true;
    this.sender.silence();
    clearTimeout(this.#refusalTimer);
    this.#connection.release(this.#held);
    this.#inbox.close();
    this.#changes.close();
    this.token.forget();
    if (this.#room !== undefined) this.context.hub.leave(this.#room, this);
    this.#connection.forget(this);
  }
}

export const newUuid = (): string => randomUUID();
