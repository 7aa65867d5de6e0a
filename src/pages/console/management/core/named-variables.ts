/**
 * Replaces texts that come from environment variables with the names of the variables, because the texts can be
 * secrets.
 */

import { isRecord } from '../../../../base/shared/json.ts';
import type { Loaded } from '../../../../platform/config/index.ts';

type Config = Readonly<Record<string, unknown>>;

/**
 * Returns a copy of the settings with these texts replaced. Numbers and Boolean values aren't replaced.
 *
 * @example
 * // config.toml: site_url = "env(SITE)"
 * withVariableNames(loadConfig({ projectDir })).auth.site_url; // "env(SITE)"
 */
export function withVariableNames({
  config,
  overrides,
  references,
}: Pick<Loaded, 'config' | 'overrides' | 'references'>): Config {
  const copy: Config = structuredClone(config) as unknown as Config;
  for (const [key, text] of references) replaceText(copy, key.split('.'), text);
  for (const [key, variable] of overrides)
    if (variable !== null) replaceText(copy, key.split('.'), `env(${variable})`);
  return copy;
}

function replaceText(config: unknown, path: readonly string[], text: string | readonly string[]): void {
  const name = path.at(-1) ?? '';
  const table = path
    .slice(0, -1)
    .reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), config);
  if (!isRecord(table)) return;
  const value = table[name];
  if (typeof value === 'string') table[name] = text;
  else if (Array.isArray(value)) table[name] = [text].flat();
}
