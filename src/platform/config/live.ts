/**
 * The running configuration, which can be replaced while the server runs. Services read a setting from the
 * configuration whenever they need the setting, instead of storing a copy.
 *
 * All code that handles a request uses the configuration that was current when the request first read the
 * configuration. The request is identified by its asynchronous context (`kernel/trace.ts`).
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { traces } from '../../base/kernel/trace.ts';
import type { Config } from './schema/index.ts';

export interface LiveConfig {
  /** The configuration for the current request. Outside of requests, the newest configuration. */
  readonly current: Config;
  /**
   * Returns a function that derives a value from {@link current}. The value is computed once per configuration. If
   * `read` throws, {@link LiveConfigOwner.replace} rejects the configuration.
   *
   * @example
   * const limits = config.derive(({ plinth }) => limitsFrom(plinth.server)); limits().maxConnections;
   */
  derive<T>(read: (config: Config) => T): () => T;
  /** Calls the listener after the configuration has been replaced, and waits for the listener. */
  onChange(listener: Listener): void;
}

type Listener = (config: Config, previous: Config) => void | Promise<void>;

export interface LiveConfigOwner extends LiveConfig {
  /**
   * Replaces the configuration for all later requests. Resolves with the errors of the listeners that failed, whose
   * work may be incomplete.
   * @throws {Error} if a derived value can't be computed. In that case, the configuration isn't replaced.
   */
  replace(next: Config): Promise<readonly unknown[]>;
}

export function createLiveConfig(initial: Config): LiveConfigOwner {
  let newest = initial;
  const derived: ((config: Config) => unknown)[] = [];
  const listeners: Listener[] = [];
  const current = (): Config => {
    const trace = traces.getStore();
    if (trace === undefined || trace.isOver) return newest;
    trace.config ??= newest;
    return trace.config as Config;
  };
  return {
    get current() {
      return current();
    },
    derive<T>(read: (config: Config) => T): () => T {
      // Each value is stored per configuration, because requests in progress may still use the previous configuration.
      const known = new WeakMap<Config, { readonly value: T }>();
      const valueFor = (config: Config): T => {
        let found = known.get(config);
        if (found === undefined) {
          found = { value: read(config) };
          known.set(config, found);
        }
        return found.value;
      };
      valueFor(newest);
      derived.push(valueFor);
      return () => valueFor(current());
    },
    onChange: (listener) => void listeners.push(listener),
    async replace(next) {
      for (const compute of derived) compute(next);
      const previous = newest;
      newest = next;
      const results = await Promise.allSettled(listeners.map(async (listener) => listener(next, previous)));
      return results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    },
  };
}

/** A summary of the files' state at a point in time. */
export interface FilesState {
  /** A hash of the files' contents. */
  readonly hash: string;
  /** When any of the files last changed, in milliseconds since the epoch. 0 if none of the files exist. */
  readonly changedAtMs: number;
}

/** Reads the files. The hash also covers which files are missing or unreadable. */
export function readFilesState(paths: readonly string[]): FilesState {
  const hash = createHash('sha256');
  let changedAtMs = 0;
  for (const path of paths) {
    hash.update(`\0${path}\0`);
    try {
      changedAtMs = Math.max(changedAtMs, statSync(path).mtimeMs);
      hash.update(readFileSync(path));
    } catch (error) {
      hash.update(`\0${(error as NodeJS.ErrnoException).code}`);
    }
  }
  return { hash: hash.digest('base64'), changedAtMs };
}
