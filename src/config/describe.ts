/** The settings one by one, from the schema: for whoever lets them be edited. */
import { printDuration, printSize } from './core/values.ts';
import type { Fields, Node, Section, Type } from './schema/define.ts';
import { plinthSchema, projectSchema } from './schema/index.ts';

export type SettingsFile = 'config.toml' | 'plinth.toml';

export interface SettingFacts {
  readonly file: SettingsFile;
  readonly path: readonly string[];
  readonly type: Type['name'];
  /** Of an enum. */
  readonly values?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** As one writes it; null: none. */
  readonly default: string | null;
  readonly help: string;
}

export interface SectionFacts {
  readonly file: SettingsFile;
  readonly path: readonly string[];
  readonly help: string;
  readonly settings: readonly SettingFacts[];
}

/** Those that do something, in the order of the schema. Tables whose keys the user chooses are not among them. */
export function describeSettings(): SectionFacts[] {
  return [...sections('config.toml', projectSchema, []), ...sections('plinth.toml', plinthSchema, [])];
}

function sections(
  file: SettingsFile,
  { help, fields, pending }: Section<Fields>,
  path: readonly string[],
): SectionFacts[] {
  if (pending !== undefined) return [];
  const settings: SettingFacts[] = [];
  const below: SectionFacts[] = [];
  for (const [key, node] of Object.entries(fields) as [string, Node][]) {
    if (node.kind === 'section') below.push(...sections(file, node, [...path, key]));
    if (node.kind !== 'setting' || node.ignored !== undefined || node.pending !== undefined) continue;
    const { type } = node;
    if (type.name === 'any') continue;
    settings.push({
      file,
      path: [...path, key],
      type: type.name,
      ...(type.name === 'enum' ? { values: type.values } : {}),
      ...(type.name === 'integer' ? { min: type.min, max: type.max } : {}),
      default: defaultText(node),
      help: node.help,
    });
  }
  return settings.length === 0 ? below : [{ file, path, help, settings }, ...below];
}

function defaultText({
  type,
  default: value,
  defaultText: words,
}: Extract<Node, { kind: 'setting' }>): string | null {
  if (words !== undefined) return words;
  if (value === undefined) return null;
  if (type.name === 'duration') return printDuration(value as number);
  if (type.name === 'size') return printSize(value as number);
  return Array.isArray(value) ? value.join(', ') : String(value);
}
