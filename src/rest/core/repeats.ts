/**
 * Reads that come again letter by letter, as the list that a page shows: parsed, planned and bound once. Everything that
 * decides what such a request asks for is in its key; who asks is not, since that decides nothing before the database.
 */
import { header, type RestRequest } from './request.ts';

/** Of requests that are kept. */
const MAX_KEPT = 500;
/** Of requests that were seen once. */
const MAX_SEEN = 500;
/** In characters; longer ones are one-offs. */
const MAX_KEY_LENGTH = 2048;

/** Undefined for what is not kept. Method and URL hold no line feed and no NUL, headers no NUL. */
export function repeatKey(request: RestRequest): string | undefined {
  const { method, path, query, headers } = request;
  if ((method !== 'GET' && method !== 'HEAD') || request.body.length > 0) return undefined;
  let key = `${method} ${path}?${query}`;
  for (const name of DECIDING) {
    if (headers[name] !== undefined) key += `\n${name}\0${header(request, name)}`;
  }
  return key.length > MAX_KEY_LENGTH ? undefined : key;
}

/** Headers that decide what is asked for. */
const DECIDING = ['accept', 'accept-profile', 'content-type', 'prefer', 'range'];

/** What was worked out for requests that came at least twice; the oldest is forgotten first. */
export class Repeats<T> {
  readonly #kept = new Map<string, T>();
  /** Most requests never come again: they cost no more than their key, for a while. */
  readonly #seen = new Set<string>();

  get(key: string): T | undefined {
    return this.#kept.get(key);
  }

  /** Keeps `value` when this is the second time. */
  offer(key: string, value: T): void {
    if (!this.#seen.delete(key)) {
      if (this.#seen.size >= MAX_SEEN) this.#seen.clear();
      this.#seen.add(key);
      return;
    }
    if (this.#kept.size >= MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value as string);
    this.#kept.set(key, value);
  }
}
