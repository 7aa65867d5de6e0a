/**
 * Caches reads that are repeated exactly, such as the list on a page, so they are parsed, planned and bound only once.
 * The cache key contains all parts of the request that determine the query. The cache key doesn't include the caller,
 * because the query is the same for all callers and the database applies their permissions.
 */
import { header, type RestRequest } from './request.ts';

/** The maximum number of cached requests. */
const MAX_KEPT = 500;
/** The maximum number of stored keys for requests that have arrived only once. */
const MAX_SEEN = 500;
/** The maximum length of a key in characters. Longer requests are usually not repeated. */
const MAX_KEY_LENGTH = 2048;

/**
 * Returns the request's key, or undefined if the request isn't cached. The key is unambiguous because a method and a
 * URL can't contain line feeds or NUL, and a header can't contain NUL.
 */
export function repeatKey(request: RestRequest): string | undefined {
  const { method, path, query, headers } = request;
  if ((method !== 'GET' && method !== 'HEAD') || request.body.length > 0) return undefined;
  let key = `${method} ${path}?${query}`;
  for (const name of DECIDING) {
    if (headers[name] !== undefined) key += `\n${name}\0${header(request, name)}`;
  }
  return key.length > MAX_KEY_LENGTH ? undefined : key;
}

/** The names of the request headers that affect the query. */
const DECIDING = ['accept', 'accept-profile', 'content-type', 'prefer', 'range'];

/** Caches a result by key after the key has occurred at least twice. The oldest result is evicted first. */
export class Repeats<T> {
  readonly #kept = new Map<string, T>();
  /**
   * The keys of requests that have arrived once. Most requests are never repeated, so only their keys are stored at
   * first.
   */
  readonly #seen = new Set<string>();

  get(key: string): T | undefined {
    return this.#kept.get(key);
  }

  /** Stores `value` if the key has been passed to this method before. */
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
