/**
 * The presence state of a topic. A presence key can have several metas, one per member. Each meta has a unique
 * `phx_ref` that changes with every update. Changes are collected until {@link TopicPresence.takeDiff} is called. A
 * member that joins and leaves between two calls isn't reported.
 *
 * Members of this process are stored directly. Members of other processes are stored by *origin*, which identifies the
 * process, and by the reference of their meta.
 */

export type Meta = { readonly phx_ref: string; readonly phx_ref_prev?: string } & Record<string, unknown>;
export type PresenceState = Record<string, { metas: Meta[] }>;
export interface PresenceDiff {
  readonly joins: PresenceState;
  readonly leaves: PresenceState;
}

/** A meta with its key. The entry consists of plain data so that it can be sent to other processes. */
export interface PresenceEntry {
  readonly key: string;
  readonly meta: Meta;
}

/** The change that a call to `track` or `untrack` caused. `leave` is the reference of the removed meta. */
export interface PresenceChange {
  readonly join?: PresenceEntry;
  readonly leave?: string;
}

interface Tracked extends PresenceEntry {
  readonly payloadJson: string;
}

export class TopicPresence<Member> {
  #tracked = new Map<Member, Tracked>();
  #remote = new Map<string, Map<string, PresenceEntry>>();
  #joins = new Map<string, PresenceEntry>();
  #leaves = new Map<string, PresenceEntry>();
  readonly #nextRef: () => string;

  /** @param nextRef Returns a reference that is unique among all metas of all processes. */
  constructor(nextRef: () => string) {
    this.#nextRef = nextRef;
  }

  /** Whether the topic has no members in any process. */
  get empty(): boolean {
    return this.#tracked.size === 0 && this.#remote.size === 0;
  }

  /** Whether the presence state has changed since the last call to {@link takeDiff}. */
  get hasChanges(): boolean {
    return this.#joins.size > 0 || this.#leaves.size > 0;
  }

  /** Adds or updates the member. Returns undefined if the same payload is already tracked for this member. */
  track(member: Member, key: string, payload: Readonly<Record<string, unknown>>): PresenceChange | undefined {
    const payloadJson = JSON.stringify(payload);
    const before = this.#tracked.get(member);
    if (before?.payloadJson === payloadJson) return undefined;
    const prev = before === undefined ? {} : { phx_ref_prev: before.meta.phx_ref };
    const meta: Meta = { ...payload, phx_ref: this.#nextRef(), ...prev };
    if (before !== undefined) this.#left(before);
    this.#tracked.set(member, { key, meta, payloadJson });
    const join = { key, meta };
    this.#joined(join);
    return before === undefined ? { join } : { join, leave: before.meta.phx_ref };
  }

  /** Removes the member. Returns undefined if no payload was tracked for the member. */
  untrack(member: Member): PresenceChange | undefined {
    const entry = this.#tracked.get(member);
    if (entry === undefined) return undefined;
    this.#tracked.delete(member);
    this.#left(entry);
    return { leave: entry.meta.phx_ref };
  }

  /** Returns the entries of this process's members, to be sent to other processes. */
  own(): PresenceEntry[] {
    return Array.from(this.#tracked.values(), ({ key, meta }) => ({ key, meta }));
  }

  /** Applies a change received from another process. */
  apply(origin: string, { join, leave }: PresenceChange): void {
    const entries = this.#remote.get(origin) ?? new Map<string, PresenceEntry>();
    const gone = leave === undefined ? undefined : entries.get(leave);
    if (gone !== undefined) {
      entries.delete(gone.meta.phx_ref);
      this.#left(gone);
    }
    if (join !== undefined && !entries.has(join.meta.phx_ref)) {
      entries.set(join.meta.phx_ref, join);
      this.#joined(join);
    }
    if (entries.size > 0) this.#remote.set(origin, entries);
    else this.#remote.delete(origin);
  }

  /** Replaces all entries of another process. Members whose entries aren't in the list have left. */
  replace(origin: string, entries: readonly PresenceEntry[]): void {
    const present = new Set(entries.map(({ meta }) => meta.phx_ref));
    for (const leave of this.#remote.get(origin)?.keys() ?? [])
      if (!present.has(leave)) this.apply(origin, { leave });
    for (const join of entries) this.apply(origin, { join });
  }

  #joined(entry: PresenceEntry): void {
    // If a member returns before its departure was reported, neither change is reported.
    if (!this.#leaves.delete(entry.meta.phx_ref)) this.#joins.set(entry.meta.phx_ref, entry);
  }

  #left(gone: PresenceEntry): void {
    if (!this.#joins.delete(gone.meta.phx_ref)) this.#leaves.set(gone.meta.phx_ref, gone);
  }

  state(): PresenceState {
    const remote = [...this.#remote.values()].flatMap((entries) => [...entries.values()]);
    return group([...this.#tracked.values(), ...remote]);
  }

  /** Returns the changes since the last call of this method, or undefined if nothing has changed. */
  takeDiff(): PresenceDiff | undefined {
    if (!this.hasChanges) return undefined;
    const diff = { joins: group(this.#joins.values()), leaves: group(this.#leaves.values()) };
    this.#joins.clear();
    this.#leaves.clear();
    return diff;
  }
}

function group(entries: Iterable<PresenceEntry>): PresenceState {
  const state: PresenceState = Object.create(null);
  for (const { key, meta } of entries) {
    const known = state[key];
    if (known === undefined) state[key] = { metas: [meta] };
    else known.metas.push(meta);
  }
  return state;
}
