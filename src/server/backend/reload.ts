/**
 * Applies a changed configuration to the running server. Decision 49 explains which settings can change at run time.
 */
import {
  type Config,
  compareConfigs,
  type LiveConfigOwner,
  type NeedsRestart,
} from '../../platform/config/index.ts';
import type { Tls } from '../tls/index.ts';

export interface Reload {
  /** The keys of the applied settings. Keys in plinth.toml start with `plinth.`. */
  readonly applied: readonly string[];
  /** The settings that differ from the running configuration and apply only after a restart. */
  readonly needsRestart: readonly NeedsRestart[];
  /** The problems found in services and certificate files. Certificate files are read again at each reload. */
  readonly problems: readonly string[];
}

/**
 * Returns a function that applies a complete configuration. Each call compares its argument with the running
 * configuration, so all processes that apply the same configuration get the same result.
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
