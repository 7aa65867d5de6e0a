/** Applies a changed configuration to the running server. Decision 49 explains which settings can change. */
import { type Config, compareConfigs, type LiveConfigOwner, type NeedsRestart } from '../config/index.ts';
import type { Tls } from '../tls/index.ts';

export interface Reload {
  /** The settings that were changed, by key. Keys of plinth.toml start with `plinth.`. */
  readonly applied: readonly string[];
  /** The changed settings that only apply after a restart, compared with the running configuration. */
  readonly needsRestart: readonly NeedsRestart[];
  /** Problems with services, and with certificate files, which are read again at each reload. */
  readonly problems: readonly string[];
}

/**
 * Returns the function that applies a complete configuration. Every call compares it with the running configuration, so
 * the result only depends on the argument, and the same argument can be applied in several processes.
 * @throws {Error} if a value can't be used. Nothing is changed.
 */
export function createReload(live: LiveConfigOwner, tls: Tls | undefined) {
  return async (next: Config): Promise<Reload> => {
    const { config, live: applied, pending } = compareConfigs(live.current, next);
    const errors = applied.length === 0 ? [] : await live.replace(config);
    return {
      applied,
      needsRestart: pending,
      problems: [...errors.map(messageOf), ...((await tls?.reload()) ?? [])],
    };
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
