/**
 * Rooms and their members: who gets a broadcast and a presence diff. Public and private channels of one name are
 * different rooms. A frame is encoded once for all members that speak the same version. What members of other processes
 * say comes over the bus; a room in which only they are present is kept for whoever joins here.
 */
import type { Bus, BusListener, Shared } from './bus/types.ts';
import type { RoomPresence } from './core/bus-message.ts';
import { type Broadcast, encodeBroadcast, encodeJson, type Frame, type Version } from './core/frame.ts';
import { type PresenceChange, PresenceRoom } from './core/presence.ts';

export interface Member {
  readonly version: Version;
  /** `realtime:` and the sub-topic. */
  readonly topic: string;
  readonly readsBroadcast: boolean;
  readonly readsPresence: boolean;
  /** Ids of the messages that were replayed to it. */
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
  /** To the members of all processes. */
  publish(subTopic: string, isPrivate: boolean, broadcast: Broadcast, except?: Member): void;
  /** To the members of this process, for what every process learns by itself. Returns how many got it. */
  deliver(subTopic: string, isPrivate: boolean, broadcast: Broadcast, except?: Member): number;
  track(room: Room, member: Member, key: string, payload: Readonly<Record<string, unknown>>): void;
  untrack(room: Room, member: Member): void;
  /** The room's state as JSON; changes that others have not been told yet are told first. */
  presenceState(room: Room): string;
  readonly roomCount: number;
  /** What the bus tells the hub. */
  readonly listener: BusListener;
  stop(): void;
}

export interface HubOptions {
  readonly bus: Bus;
  readonly nextRef: () => string;
  /** Called with the number of members that got a presence diff. */
  readonly onPresenceDeliveries?: (count: number) => void;
}

export function createHub(options: HubOptions): Hub {
  const { bus } = options;
  const rooms = new Map<string, Room>();
  const keyOf = (subTopic: string, isPrivate: boolean): string =>
    (isPrivate ? 'private:' : 'public:') + subTopic;

  const tell = (room: Room): void => {
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
    options.onPresenceDeliveries?.(count);
  };

  /** In large rooms changes gather for a moment: each diff costs as many frames as there are members. */
  const schedule = (room: Room): void => {
    if (room.flush !== undefined) return;
    const delayMs = Math.min(250, Math.floor(room.members.size / 20));
    room.flush = setTimeout(tell, delayMs, room);
  };

  const roomOf = (key: string): Room => {
    let room = rooms.get(key);
    if (room === undefined) {
      const topic = topicPrefix + key.slice(key.indexOf(':') + 1);
      room = {
        key,
        topic,
        members: new Set(),
        presence: new PresenceRoom(options.nextRef),
        flush: undefined,
      };
      rooms.set(key, room);
    }
    return room;
  };

  const drop = (room: Room): void => {
    if (room.members.size > 0) return;
    // There is nobody to tell.
    clearTimeout(room.flush);
    room.flush = undefined;
    room.presence.takeDiff();
    if (room.presence.empty) rooms.delete(room.key);
  };

  /** A member of this process came, changed or left: told to those here in a moment, and to other processes. */
  const changed = (room: Room, change: PresenceChange | undefined): void => {
    if (change === undefined) return;
    schedule(room);
    bus.send({ kind: 'presence', room: room.key, change });
  };

  /** What another process told of a room. */
  const changedElsewhere = (room: Room): void => {
    if (room.members.size === 0) drop(room);
    else if (room.presence.hasNews) schedule(room);
  };

  const deliver: Hub['deliver'] = (subTopic, isPrivate, broadcast, except) => {
    const room = rooms.get(keyOf(subTopic, isPrivate));
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
  };

  const listener: BusListener = {
    message(origin: string, message: Shared) {
      if (message.kind === 'broadcast') {
        deliver(message.subTopic, message.isPrivate, message.broadcast);
        return;
      }
      const room = roomOf(message.room);
      room.presence.apply(origin, message.change);
      changedElsewhere(room);
    },
    presence(origin: string, told: readonly RoomPresence[]) {
      const entries = new Map(told);
      for (const key of entries.keys()) roomOf(key);
      for (const room of [...rooms.values()]) {
        room.presence.replace(origin, entries.get(room.key) ?? []);
        changedElsewhere(room);
      }
    },
    ownPresence: () =>
      Array.from(rooms.values(), ({ key, presence }): RoomPresence => [key, presence.own()]).filter(
        ([, entries]) => entries.length > 0,
      ),
  };

  return {
    listener,
    join(subTopic, isPrivate, member) {
      const room = roomOf(keyOf(subTopic, isPrivate));
      room.members.add(member);
      return room;
    },
    leave(room, member) {
      if (!room.members.delete(member)) return;
      changed(room, room.presence.untrack(member));
      drop(room);
    },
    publish(subTopic, isPrivate, broadcast, except) {
      bus.send({ kind: 'broadcast', subTopic, isPrivate, broadcast });
      deliver(subTopic, isPrivate, broadcast, except);
    },
    deliver,
    track(room, member, key, payload) {
      changed(room, room.presence.track(member, key, payload));
    },
    untrack(room, member) {
      changed(room, room.presence.untrack(member));
    },
    presenceState(room) {
      tell(room);
      return JSON.stringify(room.presence.state());
    },
    get roomCount() {
      return rooms.size;
    },
    stop() {
      for (const room of rooms.values()) clearTimeout(room.flush);
      rooms.clear();
    },
  };
}

function once<K, V>(cache: Map<K, V>, key: K, make: (key: K) => V): V {
  const known = cache.get(key);
  if (known !== undefined || cache.has(key)) return known as V;
  const made = make(key);
  cache.set(key, made);
  return made;
}
