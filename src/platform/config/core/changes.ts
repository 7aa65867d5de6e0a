/** Compares two configurations to determine which changes can be applied while the server runs. */
import type { Applies, Fields, Node, Section } from '../schema/define.ts';
import { type Config, plinthSchema, projectSchema } from '../schema/index.ts';

type Branch = Readonly<Record<string, unknown>>;

export interface NeedsRestart {
  /** The setting's key. Keys of settings in plinth.toml start with `plinth.`. */
  readonly key: string;
  /** The reason, worded as the end of the sentence "Needs a restart because". */
  readonly reason: string;
}

export interface Changes {
  /** The running configuration with the new values of all settings that can change at run time. */
  readonly config: Config;
  /** The keys of changed settings that can change at run time. Keys of settings in plinth.toml start with `plinth.`. */
  readonly live: readonly string[];
  /** The changed settings that take effect only after a restart. */
  readonly pending: readonly NeedsRestart[];
}

/**
 * Compares two configurations.
 *
 * @param effect returns when a changed setting takes effect, given its path
 */
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
      // Services list the names in maps such as `auth.sms.test_otp`, so a removed name must not stay without a value.
      return Object.fromEntries(merged.filter(([name, value]) => value !== undefined || name in other));
    }
    return JSON.stringify(one) === JSON.stringify(other) ? one : choose(one, other, path);
  };
  const config = merge(before, after, []) as Config;
  return { config, live, pending };
}

const isBranch = (value: unknown): value is Branch =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `never` if the setting has no effect in Plinth. */
type Effect = Applies | 'never';

/**
 * Returns when a change takes effect, for one setting or for all settings under a name such as `functions.hello`. Paths
 * of settings in plinth.toml begin with `plinth`. Returns undefined if the schema doesn't contain the path or doesn't
 * specify when a change takes effect.
 *
 * @example effectOf(['api', 'port']); // { restart: 'ports are opened at startup' }
 */
export function effectOf(path: readonly string[]): Effect | undefined {
  return path[0] === 'plinth' ? effectIn(plinthSchema, path.slice(1)) : effectIn(projectSchema, path);
}

function effectIn(schema: Section<Fields>, path: readonly string[]): Effect | undefined {
  let node: Node | undefined = schema;
  let inherited: Applies | undefined;
  for (const name of path) {
    if (node === undefined || node.kind === 'setting') return undefined;
    if (node.kind === 'section') {
      if (node.pending !== undefined) return 'never';
      inherited = node.applies ?? inherited;
      node = Object.hasOwn(node.fields, name) ? (node.fields as Fields)[name] : undefined;
    } else node = node.value;
  }
  if (node?.kind === 'section') return node.applies ?? inherited;
  return node?.kind === 'setting' ? effectOfSetting(node, inherited) : undefined;
}

export function effectOfSetting(
  { applies, ignored, pending }: Extract<Node, { kind: 'setting' }>,
  inherited: Applies | undefined,
): Effect | undefined {
  return ignored === undefined && pending === undefined ? (applies ?? inherited) : 'never';
}
