/** Selects the settings in a pushed config.toml that also make sense on another server. */

export type PushedValue = string | number | boolean | readonly string[];

export interface PushedSettings {
  readonly changes: readonly { readonly path: readonly string[]; readonly value: PushedValue }[];
  /** The keys of settings that aren't pushed although they are in a section that is pushed. */
  readonly skipped: readonly string[];
}

/** The sections that upstream's CLI 3.1 pushes and that describe the app rather than the machine. */
const sections = ['api', 'auth', 'storage'] as const;

/** Settings for the ports, addresses, services and files of the machine on which the file was written. */
const ofMachine =
  /^(?:api\.(?:enabled|port|external_url|tls\..+)|auth\.(?:enabled|external_url|signing_keys_path)|storage\.(?:enabled|buckets\..+)|.+\.(?:content_path|logo|logo_path))$/;

/**
 * Returns the settings to push.
 *
 * @param table the parsed config.toml
 * @example
 * pushedSettings({ api: { port: 1, max_rows: 10 } }); // changes: api.max_rows, skipped: api.port
 */
export function pushedSettings(table: Readonly<Record<string, unknown>>): PushedSettings {
  const leaves = sections.flatMap((section) =>
    Object.hasOwn(table, section) ? leavesOf([section], table[section]) : [],
  );
  const changes: { path: readonly string[]; value: PushedValue }[] = [];
  const skipped: string[] = [];
  for (const { path, value } of leaves) {
    const key = path.join('.');
    if (isValue(value) && !ofMachine.test(key)) changes.push({ path, value });
    else skipped.push(key);
  }
  return { changes, skipped };
}

function leavesOf(path: readonly string[], value: unknown): { path: readonly string[]; value: unknown }[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Date)
    return [{ path, value }];
  return Object.entries(value).flatMap(([name, inner]) => leavesOf([...path, name], inner));
}

const isValue = (value: unknown): value is PushedValue =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((item) => typeof item === 'string'));
