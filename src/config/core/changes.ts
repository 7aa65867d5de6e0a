/** Compares two configurations, for changes while the server runs. */
import type { Config } from '../schema/index.ts';
import { type Effect, effectOf } from './applies.ts';

type Branch = Readonly<Record<string, unknown>>;

export interface NeedsRestart {
  /** The setting's key. Keys of plinth.toml start with `plinth.`. */
  readonly key: string;
  /** Completes the sentence "Needs a restart because". */
  readonly reason: string;
}

export interface Changes {
  /** The running configuration with the new values of the settings that can change. */
  readonly config: Config;
  /** The changed settings that can change while the server runs, by key. Keys of plinth.toml start with `plinth.`. */
  readonly live: readonly string[];
  /** The changed settings that only apply after a restart. */
  readonly pending: readonly NeedsRestart[];
}

/** @param effect When a change to the setting at this path takes effect. */
export function compareConfigs(
  before: Config,
  after: Config,
  effect: (path: readonly string[]) => Effect | undefined = effectOf,
): Changes {
  const live: string[] = [];
  const pending: NeedsRestart[] = [];
  const choose = (one: unknown, other: unknown, path: readonly string[]): unknown => {
    const key = path.join('.');
    const when = effect(path);
    if (typeof when === 'object') {
      pending.push({ key, reason: when.restart });
      return one;
    }
    if (when === 'live') live.push(key);
    return other;
  };
  const merge = (one: unknown, other: unknown, path: readonly string[]): unknown => {
    if (isBranch(one) && isBranch(other)) {
      const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
      const merged = names.map((name) => [name, merge(one[name], other[name], [...path, name])] as const);
      return Object.fromEntries(merged);
    }
    return JSON.stringify(one) === JSON.stringify(other) ? one : choose(one, other, path);
  };
  const config = merge(before, after, []) as Config;
  return { config, live, pending };
}

const isBranch = (value: unknown): value is Branch =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
