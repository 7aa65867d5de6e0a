/** Prints the output of `--dump-config`, `--dump-schema` and `--example`. */
import type { SchemaCache } from '../../services/rest/index.ts';
import type { ServerConfig } from './config.ts';
import { settingKeys, settingOf } from './settings-table.ts';

/** Returns a configuration file that results in this configuration. */
export function configText({ values, rest }: ServerConfig): string {
  const lines = settingKeys.map((key) => {
    const value = values.get(key);
    const isBare = typeof value === 'number' || typeof value === 'boolean';
    return `${key} = ${isBare ? value : quoted(Array.isArray(value) ? value.join(',') : String(value ?? ''))}`;
  });
  for (const [name, value] of rest.appSettings) lines.push(`${name} = ${quoted(value)}`);
  return `${lines.sort().join('\n')}\n`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', $: '$$' };
const quoted = (text: string): string =>
  `"${text.replace(/["\\$\n\t\r]/g, (char) => ESCAPES[char] ?? `\\${char}`)}"`;

/**
 * Returns a configuration file that contains every setting with its help text and default. Settings without a default
 * are commented out.
 */
export function exampleText(): string {
  return settingKeys
    .map((key) => {
      const { kind, help, default: value, example } = settingOf(key);
      const isBare = kind.is === 'integer' || kind.is === 'boolean';
      const shown = value ?? example ?? '';
      const line = `${key} = ${isBare ? shown : quoted(shown)}`;
      return `## ${help}\n${value === undefined ? '# ' : ''}${line}\n`;
    })
    .join('\n');
}

/** The top-level names in the JSON are the same as PostgREST's, but the entries have a different structure. */
export function schemaCacheText(cache: SchemaCache): string {
  const byName = <T>(map: ReadonlyMap<string, T>) =>
    [...map].map(([key, value]) => {
      const [schema = '', name = ''] = key.split('\0');
      return [{ qiName: name, qiSchema: schema }, value] as const;
    });
  return JSON.stringify(
    {
      dbMediaHandlers: [...cache.mediaHandlers.values()],
      dbRelationships: byName(cache.relationships),
      dbRepresentations: [...cache.representations].map(([types, converter]) => {
        const [source, target] = types.split('\0');
        return { source, target, function: converter };
      }),
      dbRoutines: byName(cache.routines),
      dbTables: byName(cache.relations),
    },
    (_key, value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value),
  );
}
