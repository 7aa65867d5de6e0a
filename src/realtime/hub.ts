/**
 * Rooms and their members: who gets a broadcast and a presence diff. Public and private channels of one name are
 * different rooms. A frame is encoded once for all members that speak the same version.
 */
import { type Broadcast, encodeBroadcast, encodeJson, type Frame, type Version } from './core/frame.ts';
import { PresenceRoom } from './core/presence.ts';

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
  /** Returns how many got it. */
  publish(subTopic: string, isPrivate: boolean, broadcast: Broadcast, except?: Member): number;
  track(room: Room, member: Member, key: string, payload: Readonly<Record<string, unknown>>): void;
  untrack(room: Room, member: Member): void;
  /** The room's state as JSON; changes that others have not been told yet are told first. */
  presenceState(room: Room): string;
  readonly roomCount: number;
  stop(): void;
}

export interface HubOptions {
  readonly nextRef: () => string;
  /** Called with the number of members that got a presence diff. */
  readonly onPresenceDeliveries?: (count: number) => void;
}

export function createHub(options: HubOptions): Hub {
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

  return {
    join(subTopic, isPrivate, member) {
      const key = keyOf(subTopic, isPrivate);
      let room = rooms.get(key);
      if (room === undefined) {
        room = {
          key,
          topic: topicPrefix + subTopic,
          members: new Set(),
          presence: new PresenceRoom(options.nextRef),
          flush: undefined,
        };
        rooms.set(key, room);
      }
      room.members.add(member);
      return room;
    },
    leave(room, member) {
      if (!room.members.delete(member)) return;
      if (room.presence.untrack(member)) schedule(room);
      if (room.members.size > 0) return;
      clearTimeout(room.flush);
      rooms.delete(room.key);
    },
    publish(subTopic, isPrivate, broadcast, except) {
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
    },
    track(room, member, key, payload) {
      if (room.presence.track(member, key, payload)) schedule(room);
    },
    untrack(room, member) {
      if (room.presence.untrack(member)) schedule(room);
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
