/**
 * Manages topics and their members, and delivers broadcasts and presence diffs to the members. Public and private
 * channels with the same name are separate topics. A frame is encoded once for all members that use the same protocol
 * version. Messages from members in other processes are received over the bus. A topic is kept even if all of its
 * members are in other processes. As a result, the topic's presence state is available when a local member joins.
 */
import type { Bus, BusListener, SharedMessage } from './bus/types.ts';
import type { TopicEntries } from './core/bus-message.ts';
import { type Broadcast, encodeBroadcast, encodeJson, type Frame, type Version } from './core/frame.ts';
import { type PresenceChange, TopicPresence } from './core/presence.ts';
import { broadcastEvent, type Taps } from './taps.ts';

export interface Member {
  readonly version: Version;
  /** The full topic name, which is `realtime:` followed by the sub-topic. */
  readonly topic: string;
  readonly readsBroadcast: boolean;
  readonly readsPresence: boolean;
  /** The IDs of messages that were replayed to the member. */
  readonly replayed: ReadonlySet<string> | undefined;
  send(frame: Frame): void;
}

export interface Topic {
  readonly key: string;
  readonly name: string;
  readonly members: Set<Member>;
  readonly presence: TopicPresence<Member>;
  flush: NodeJS.Timeout | undefined;
}

const topicPrefix = 'realtime:';

export interface Hub {
  join(subTopic: string, isPrivate: boolean, member: Member): Topic;
  leave(topic: Topic, member: Member): void;
  /** Sends a broadcast to the members in all processes. */
  publish(subTopic: string, isPrivate: boolean, broadcast: Broadcast, except?: Member): void;
  /**
   * Sends a message from the database to the members in this process only, because every process receives the message
   * from PostgreSQL. Returns the number of recipients.
   */
  deliver(subTopic: string, isPrivate: boolean, broadcast: Broadcast, except?: Member): number;
  track(topic: Topic, member: Member, key: string, payload: Readonly<Record<string, unknown>>): void;
  untrack(topic: Topic, member: Member): void;
  /** Returns the topic's presence state as JSON. Pending changes are sent to the other members first. */
  presenceState(topic: Topic): string;
  readonly topicCount: number;
  /** Handles messages from the bus. */
  readonly listener: BusListener;
  stop(): void;
}

export interface HubOptions {
  readonly bus: Bus;
  readonly nextRef: () => string;
  /** The operators who watch all messages. */
  readonly taps: Taps;
  /** Called with the number of recipients of a presence diff. */
  readonly onPresenceDeliveries?: (count: number) => void;
}

const keyOf = (subTopic: string, isPrivate: boolean): string =>
  (isPrivate ? 'private:' : 'public:') + subTopic;

export const createHub = (options: HubOptions): Hub => new TopicHub(options);

class TopicHub implements Hub {
  readonly #options: HubOptions;
  readonly #topics = new Map<string, Topic>();
  readonly listener: BusListener = {
    message: (origin, message) => this.#onMessage(origin, message),
    presence: (origin, entries) => this.#replacePresence(origin, entries),
    ownPresence: () =>
      Array.from(this.#topics.values(), ({ key, presence }): TopicEntries => [key, presence.own()]).filter(
        ([, entries]) => entries.length > 0,
      ),
  };

  constructor(options: HubOptions) {
    this.#options = options;
  }

  get topicCount(): number {
    return this.#topics.size;
  }

  join(subTopic: string, isPrivate: boolean, member: Member): Topic {
    const topic = this.#topicOf(keyOf(subTopic, isPrivate));
    topic.members.add(member);
    return topic;
  }

  leave(topic: Topic, member: Member): void {
    if (!topic.members.delete(member)) return;
    this.#changed(topic, topic.presence.untrack(member));
    this.#drop(topic);
  }

  publish(subTopic: string, isPrivate: boolean, broadcast: Broadcast, except?: Member): void {
    this.#options.bus.send({ kind: 'broadcast', subTopic, isPrivate, broadcast });
    this.deliver(subTopic, isPrivate, broadcast, except);
  }

  deliver(subTopic: string, isPrivate: boolean, broadcast: Broadcast, except?: Member): number {
    const count = this.#send(subTopic, isPrivate, broadcast, except);
    const { taps } = this.#options;
    if (taps.isOpen) taps.emit(broadcastEvent(subTopic, isPrivate, broadcast, count));
    return count;
  }

  #send(subTopic: string, isPrivate: boolean, broadcast: Broadcast, except: Member | undefined): number {
    const topic = this.#topics.get(keyOf(subTopic, isPrivate));
    if (topic === undefined) return 0;
    const frames = new Map<Version, Frame | undefined>();
    let count = 0;
    for (const member of topic.members) {
      if (member === except || !member.readsBroadcast) continue;
      if (broadcast.id !== undefined && member.replayed?.has(broadcast.id)) continue;
      const frame = once(frames, member.version, (version) =>
        encodeBroadcast(version, topic.name, broadcast),
      );
      if (frame === undefined) continue;
      member.send(frame);
      count++;
    }
    return count;
  }

  track(topic: Topic, member: Member, key: string, payload: Readonly<Record<string, unknown>>): void {
    this.#changed(topic, topic.presence.track(member, key, payload));
  }

  untrack(topic: Topic, member: Member): void {
    this.#changed(topic, topic.presence.untrack(member));
  }

  presenceState(topic: Topic): string {
    this.#sendDiff(topic);
    return JSON.stringify(topic.presence.state());
  }

  stop(): void {
    for (const topic of this.#topics.values()) clearTimeout(topic.flush);
    this.#topics.clear();
  }

  #onMessage(origin: string, message: SharedMessage): void {
    if (message.kind === 'broadcast') {
      this.deliver(message.subTopic, message.isPrivate, message.broadcast);
      return;
    }
    const topic = this.#topicOf(message.room);
    topic.presence.apply(origin, message.change);
    this.#changedElsewhere(topic);
  }

  #replacePresence(origin: string, entriesByTopic: readonly TopicEntries[]): void {
    const entries = new Map(entriesByTopic);
    for (const key of entries.keys()) this.#topicOf(key);
    for (const topic of [...this.#topics.values()]) {
      topic.presence.replace(origin, entries.get(topic.key) ?? []);
      this.#changedElsewhere(topic);
    }
  }

  #topicOf(key: string): Topic {
    let topic = this.#topics.get(key);
    if (topic === undefined) {
      topic = {
        key,
        name: topicPrefix + key.slice(key.indexOf(':') + 1),
        members: new Set(),
        presence: new TopicPresence(this.#options.nextRef),
        flush: undefined,
      };
      this.#topics.set(key, topic);
    }
    return topic;
  }

  #drop(topic: Topic): void {
    if (topic.members.size > 0) return;
    // At this point, the topic has no more members in this process.
    clearTimeout(topic.flush);
    topic.flush = undefined;
    topic.presence.takeDiff();
    if (topic.presence.empty) this.#topics.delete(topic.key);
  }

  /**
   * Handles a change by a local member. The change is sent to other processes immediately, and to local members after a
   * delay.
   */
  #changed(topic: Topic, change: PresenceChange | undefined): void {
    if (change === undefined) return;
    this.#schedule(topic);
    this.#options.bus.send({ kind: 'presence', room: topic.key, change });
  }

  /** Handles a change from another process. */
  #changedElsewhere(topic: Topic): void {
    if (topic.members.size === 0) this.#drop(topic);
    else if (topic.presence.hasChanges) this.#schedule(topic);
  }

  /** In topics with many members, changes are batched for a short time because each diff costs one frame per member. */
  #schedule(topic: Topic): void {
    if (topic.flush !== undefined) return;
    const delayMs = Math.min(250, Math.floor(topic.members.size / 20));
    topic.flush = setTimeout(() => this.#sendDiff(topic), delayMs);
  }

  #sendDiff(topic: Topic): void {
    clearTimeout(topic.flush);
    topic.flush = undefined;
    const diff = topic.presence.takeDiff();
    if (diff === undefined) return;
    const json = JSON.stringify(diff);
    const frames = new Map<Version, Frame>();
    let count = 0;
    for (const member of topic.members) {
      if (!member.readsPresence) continue;
      member.send(
        once(frames, member.version, (version) =>
          encodeJson(version, { topic: topic.name, event: 'presence_diff' }, json),
        ),
      );
      count++;
    }
    this.#options.onPresenceDeliveries?.(count);
    const { taps } = this.#options;
    if (taps.isOpen)
      taps.emit({
        kind: 'presence',
        topic: topic.name.slice(topicPrefix.length),
        isGuarded: topic.key.startsWith('private:'),
        event: 'presence_diff',
        payload: json,
        sizeBytes: Buffer.byteLength(json),
        recipients: count,
      });
  }
}

function once<K, V>(cache: Map<K, V>, key: K, make: (key: K) => V): V {
  const known = cache.get(key);
  if (known !== undefined || cache.has(key)) return known as V;
  const made = make(key);
  cache.set(key, made);
  return made;
}
