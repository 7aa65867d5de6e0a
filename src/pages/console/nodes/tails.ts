/**
 * Follows logs on other nodes. The asking node reads the new entries every second. The answering node keeps them in the
 * meantime, and stops when they aren't read anymore.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { GroupView } from '../../../platform/group/types.ts';
import type { NamedNode } from './contract.ts';

/** The maximum number of entries that are kept for a reader. */
const maxKept = 500;
const maxTails = 100;
const expiresMs = 15_000;
const readEveryMs = 1000;

export interface TailPart<Entry> {
  readonly entries: readonly Entry[];
  /** The number of entries that were dropped because they arrived too quickly. */
  readonly left: number;
}

interface Tail<Entry> {
  entries: Entry[];
  left: number;
  readonly expiry: NodeJS.Timeout;
  unfollow(): void;
}

export class Tails<Filter, Entry> {
  readonly #follow: (filter: Filter, onEntry: (entry: Entry) => void) => () => void;
  readonly #tails = new Map<string, Tail<Entry>>();

  constructor(follow: (filter: Filter, onEntry: (entry: Entry) => void) => () => void) {
    this.#follow = follow;
  }

  /** Returns the entries since the last call with this ID. The first call starts to follow the log. */
  read(id: string, filter: Filter): TailPart<Entry> {
    const tail = this.#tails.get(id) ?? this.#open(id, filter);
    tail.expiry.refresh();
    const { entries, left } = tail;
    tail.entries = [];
    tail.left = 0;
    return { entries, left };
  }

  #open(id: string, filter: Filter): Tail<Entry> {
    if (this.#tails.size >= maxTails) throw new Error('too many nodes follow the log');
    const tail: Tail<Entry> = {
      entries: [],
      left: 0,
      unfollow: () => undefined,
      expiry: setTimeout(() => {
        tail.unfollow();
        this.#tails.delete(id);
      }, expiresMs).unref(),
    };
    tail.unfollow = this.#follow(filter, (entry) => {
      if (tail.entries.length < maxKept) tail.entries.push(entry);
      else tail.left++;
    });
    this.#tails.set(id, tail);
    return tail;
  }
}

interface FollowOptions<Entry> {
  readonly question: string;
  readonly filter: unknown;
  /** The ID of the only node to follow. */
  readonly only: string | undefined;
  readonly onEntry: (entry: Entry, node: NamedNode) => void;
}

/** Follows the log of the other nodes. Returns a function that stops following. */
export function followOthers<Entry>(
  view: GroupView,
  { question, filter, only, onEntry }: FollowOptions<Entry>,
): () => void {
  if (!view.isShared || only === view.self) return () => undefined;
  const stopping = new AbortController();
  const { signal } = stopping;
  const id = randomUUID();
  const readOnce = async (): Promise<void> => {
    const answers = await view.ask<TailPart<Entry>>(
      question,
      { id, filter },
      only === undefined ? { others: true } : { nodes: [only] },
    );
    if (signal.aborted) return;
    for (const answer of answers)
      if (answer.missing === undefined) for (const entry of answer.value.entries) onEntry(entry, answer.node);
  };
  void (async () => {
    while (!signal.aborted) {
      await readOnce();
      await sleep(readEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  })();
  return () => stopping.abort();
}
