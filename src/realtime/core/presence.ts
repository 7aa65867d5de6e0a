/**
 * Who is present in a room. One key can have several metas (one per member); every meta has a `phx_ref` of its own that
 * changes with each update. Changes gather until {@link PresenceRoom.takeDiff}: what came and went in between was never
 * told and is not told.
 */

export type Meta = { readonly phx_ref: string; readonly phx_ref_prev?: string } & Record<string, unknown>;
export type PresenceState = Record<string, { metas: Meta[] }>;
export interface PresenceDiff {
  readonly joins: PresenceState;
  readonly leaves: PresenceState;
}

interface Entry {
  readonly key: string;
  readonly meta: Meta;
  readonly payloadJson: string;
}

export class PresenceRoom<Member> {
  #entries = new Map<Member, Entry>();
  #joins = new Map<string, Entry>();
  #leaves = new Map<string, Entry>();
  readonly #nextRef: () => string;

  /** @param nextRef makes a reference that is unique among all metas. */
  constructor(nextRef: () => string) {
    this.#nextRef = nextRef;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns false when the payload is the tracked one already. */
  track(member: Member, key: string, payload: Readonly<Record<string, unknown>>): boolean {
    const payloadJson = JSON.stringify(payload);
    const before = this.#entries.get(member);
    if (before?.payloadJson === payloadJson) return false;
    const prev = before === undefined ? {} : { phx_ref_prev: before.meta.phx_ref };
    const meta: Meta = { ...payload, phx_ref: this.#nextRef(), ...prev };
    const entry: Entry = { key, meta, payloadJson };
    if (before !== undefined) this.#remember(before);
    this.#entries.set(member, entry);
    this.#joins.set(meta.phx_ref, entry);
    return true;
  }

  /** Returns false when nothing was tracked. */
  untrack(member: Member): boolean {
    const entry = this.#entries.get(member);
    if (entry === undefined) return false;
    this.#entries.delete(member);
    this.#remember(entry);
    return true;
  }

  #remember(gone: Entry): void {
    if (!this.#joins.delete(gone.meta.phx_ref)) this.#leaves.set(gone.meta.phx_ref, gone);
  }

  state(): PresenceState {
    return group(this.#entries.values());
  }

  /** What changed since the last call; undefined when nothing did. */
  takeDiff(): PresenceDiff | undefined {
    if (this.#joins.size === 0 && this.#leaves.size === 0) return undefined;
    const diff = { joins: group(this.#joins.values()), leaves: group(this.#leaves.values()) };
    this.#joins.clear();
    this.#leaves.clear();
    return diff;
  }
}

function group(entries: Iterable<Entry>): PresenceState {
  const state: PresenceState = Object.create(null);
  for (const { key, meta } of entries) {
    const known = state[key];
    if (known === undefined) state[key] = { metas: [meta] };
    else known.metas.push(meta);
  }
  return state;
}
