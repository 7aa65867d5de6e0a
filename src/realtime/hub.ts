/**
 * Rooms and their members: delivers broadcasts and presence diffs. Public and private channels with the same name are
 * separate rooms. A frame is encoded once for all members with the same version. Messages from members in other
 * processes arrive over the bus. A room whose members are all in other processes is kept so that its presence state is
 * available to local members that join.
 */
import type { Bus, BusListener, Shared } from './bus/types.ts';
import type { RoomPresence } from './core/bus-message.ts';
import { type Broadcast, encodeBroadcast, encodeJson, type Frame, type Version } from './core/frame.ts';
import { type PresenceChange, PresenceRoom } from './core/presence.ts';

export interface Member {
  readonly version: Version;
  /** `realtime:` followed by the sub-topic. */
  readonly topic: string;
  readonly readsBroadcast: boolean;
  readonly readsPresence: boolean;
  /** Ids of messages that were replayed to the member. */
  readonly replayed: ReadonlySet<string> | undefined;
  send(frame: Frame): void;
}

export interface Room {
  readonly key: string;
  readonly topic: string;
  readonly members: Set<Member>;
  readonly presence: PresenceRoom<Member>;
  flush: NodeJS.Timeout | undefined;
}

const topicPrefix = 'realtime:';

export interface Hub {
  join(subTopic: string, isPrivate: boolean, member: Member): Room;
  leave(room: Room, member: Member): void;
  /** Sends to the members in all processes. */
  publish(subTopic: string, isPrivate: boolean, broadcast: Broadcast, except?: Member): void;
  /**
   * Sends to the members in this process. Used for messages that each process receives from PostgreSQL. Returns the
   * number of recipients.
   */
  deliver(subTopic: string, isPrivate: boolean, broadcast: Broadcast, except?: Member): number;
  track(room: Room, member: Member, key: string, payload: Readonly<Record<string, unknown>>): void;
  untrack(room: Room, member: Member): void;
  /** Returns the room's state as JSON. Pending changes are sent to the other members first. */
  presenceState(room: Room): string;
  readonly roomCount: number;
  /** Handles messages from the bus. */
  readonly listener: BusListener;
  stop(): void;
}

export interface HubOptions {
  readonly bus: Bus;
  readonly nextRef: () => string;
  /** Called with the number of recipients of a presence diff. */
  readonly onPresenceDeliveries?: (count: number) => void;
}

const keyOf = (subTopic: string, isPrivate: boolean): string =>
  (isPrivate ? 'private:' : 'public:') + subTopic;

export const createHub = (options: HubOptions): Hub => new RoomHub(options);

class RoomHub implements Hub {
  readonly #options: HubOptions;
  readonly #rooms = new Map<string, Room>();
  readonly listener: BusListener = {
    message: (origin, message) => this.#onMessage(origin, message),
    presence: (origin, entries) => this.#replacePresence(origin, entries),
    ownPresence: () =>
      Array.from(this.#rooms.values(), ({ key, presence }): RoomPresence => [key, presence.own()]).filter(
        ([, entries]) => entries.length > 0,
      ),
  };

  constructor(options: HubOptions) {
    this.#options = options;
  }

  get roomCount(): number {
    return this.#rooms.size;
  }

  join(subTopic: string, isPrivate: boolean, member: Member): Room {
    const room = this.#roomOf(keyOf(subTopic, isPrivate));
    room.members.add(member);
    return room;
  }

  leave(room: Room, member: Member): void {
    if (!room.members.delete(member)) return;
    this.#changed(room, room.presence.untrack(member));
    this.#drop(room);
  }

  publish(subTopic: string, isPrivate: boolean, broadcast: Broadcast, except?: Member): void {
    this.#options.bus.send({ kind: 'broadcast', subTopic, isPrivate, broadcast });
    this.deliver(subTopic, isPrivate, broadcast, except);
  }

  deliver(subTopic: string, isPrivate: boolean, broadcast: Broadcast, except?: Member): number {
    const room = this.#rooms.get(keyOf(subTopic, isPrivate));
    if (room === undefined) return 0;
    const frames = new Map<Version, Frame | undefined>();
    let count = 0;
    for (const member of room.members) {
      if (member === except || !member.readsBroadcast) continue;
      if (broadcast.id !== undefined && member.replayed?.has(broadcast.id)) continue;
      const frame = once(frames, member.version, (version) =>
        encodeBroadcast(version, room.topic, broadcast),
      );
      if (frame === undefined) continue;
      member.send(frame);
      count++;
    }
    return count;
  }

  track(room: Room, member: Member, key: string, payload: Readonly<Record<string, unknown>>): void {
    this.#changed(room, room.presence.track(member, key, payload));
  }

  untrack(room: Room, member: Member): void {
    this.#changed(room, room.presence.untrack(member));
  }

  presenceState(room: Room): string {
    this.#sendDiff(room);
    return JSON.stringify(room.presence.state());
  }

  stop(): void {
    for (const room of this.#rooms.values()) clearTimeout(room.flush);
    this.#rooms.clear();
  }

  #onMessage(origin: string, message: Shared): void {
    if (message.kind === 'broadcast') {
      this.deliver(message.subTopic, message.isPrivate, message.broadcast);
      return;
    }
    const room = this.#roomOf(message.room);
    room.presence.apply(origin, message.change);
    this.#changedElsewhere(room);
  }

  #replacePresence(origin: string, entriesByRoom: readonly RoomPresence[]): void {
    const entries = new Map(entriesByRoom);
    for (const key of entries.keys()) this.#roomOf(key);
    for (const room of [...this.#rooms.values()]) {
      room.presence.replace(origin, entries.get(room.key) ?? []);
      this.#changedElsewhere(room);
    }
  }

  #roomOf(key: string): Room {
    let room = this.#rooms.get(key);
    if (room === undefined) {
      room = {
        key,
        topic: topicPrefix + key.slice(key.indexOf(':') + 1),
        members: new Set(),
        presence: new PresenceRoom(this.#options.nextRef),
        flush: undefined,
      };
      this.#rooms.set(key, room);
    }
    return room;
  }

  #drop(room: Room): void {
    if (room.members.size > 0) return;
    // The room has no local members.
    clearTimeout(room.flush);
    room.flush = undefined;
    room.presence.takeDiff();
    if (room.presence.empty) this.#rooms.delete(room.key);
  }

  /** Handles a change by a local member. The change is sent to local members after a delay, and to other processes. */
  #changed(room: Room, change: PresenceChange | undefined): void {
    if (change === undefined) return;
    this.#schedule(room);
    this.#options.bus.send({ kind: 'presence', room: room.key, change });
  }

  /** Handles a change from another process. */
  #changedElsewhere(room: Room): void {
    if (room.members.size === 0) this.#drop(room);
    else if (room.presence.hasNews) this.#schedule(room);
  }

  /** In large rooms, changes are batched for a short time because each diff costs one frame per member. */
  #schedule(room: Room): void {
    if (room.flush !== undefined) return;
    const delayMs = Math.min(250, Math.floor(room.members.size / 20));
    room.flush = setTimeout(() => this.#sendDiff(room), delayMs);
  }

  #sendDiff(room: Room): void {
    clearTimeout(room.flush);
    room.flush = undefined;
    const diff = room.presence.takeDiff();
    if (diff === undefined) return;
    const json = JSON.stringify(diff);
    const frames = new Map<Version, Frame>();
    let count = 0;
    for (const member of room.members) {
      if (!member.readsPresence) continue;
      member.send(
        once(frames, member.version, (version) =>
          encodeJson(version, null, null, room.topic, 'presence_diff', json),
        ),
      );
      count++;
    }
    this.#options.onPresenceDeliveries?.(count);
  }
}

function once<K, V>(cache: Map<K, V>, key: K, make: (key: K) => V): V {
  const known = cache.get(key);
  if (known !== undefined || cache.has(key)) return known as V;
  const made = make(key);
  cache.set(key, made);
  return made;
}
