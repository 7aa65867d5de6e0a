/**
 * Caches reads that are repeated exactly, such as a page's list: they are parsed, planned and bound once. The key
 * contains everything that determines the query. It excludes the caller, who matters only in the database.
 */
import { header, type RestRequest } from './request.ts';

/** The maximum number of cached requests. */
const MAX_KEPT = 500;
/** The maximum number of requests seen once. */
const MAX_SEEN = 500;
/** The maximum key length in characters. Longer requests are usually not repeated. */
const MAX_KEY_LENGTH = 2048;

/**
 * Returns undefined for requests that aren't cached. Method and URL can't contain line feeds or NUL, and headers can't
 * contain NUL.
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

/** Headers that determine the query. */
const DECIDING = ['accept', 'accept-profile', 'content-type', 'prefer', 'range'];

/** Caches the results of requests that arrived at least twice. Evicts the oldest first. */
export class Repeats<T> {
  readonly #kept = new Map<string, T>();
  /** Keys of requests seen once. Most requests are never repeated, so only their keys are stored for a while. */
  readonly #seen = new Set<string>();

  get(key: string): T | undefined {
    return this.#kept.get(key);
  }

  /** Stores `value` from the second time the key is offered. */
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
