/** Describes the settings in the schema for the Console's settings pages. */
import { effectOf } from './core/changes.ts';
import { printDuration, printSize } from './core/values.ts';
import type { Fields, Node, Section, SettingsFile, Type } from './schema/define.ts';
import { developerSettings, harmlessSettings } from './schema/developer-settings.ts';
import { plinthSchema, projectSchema } from './schema/index.ts';
import { entryOf, settingPages } from './schema/pages/index.ts';
import type { PageGroup, Panel } from './schema/pages/types.ts';

export interface SettingFacts {
  readonly file: SettingsFile;
  readonly path: readonly string[];
  readonly label: string;
  /** Search terms that neither the label nor the help text contains. */
  readonly words: string;
  /** A number's unit, such as `seconds`. */
  readonly unit?: string;
  /** The labels of an enum's values. */
  readonly options?: Readonly<Record<string, string>>;
  readonly type: Type['name'];
  /** The allowed values of an enum. */
  readonly values?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /**
   * The default as it would be written in the settings file, or a description of the default. Null if the setting has
   * no default.
   */
  readonly default: string | null;
  readonly help: string;
  /** The least privileged role that can change the setting. */
  readonly changedBy: 'owner' | 'developer';
  /** Whether a change in the Console needs a recent sign-in. */
  readonly needsFreshSignIn: boolean;
  /** The reason why a change needs a restart. Null if changes take effect while the server runs. */
  readonly restart: string | null;
}

export interface SectionFacts {
  readonly file: SettingsFile;
  readonly path: readonly string[];
  readonly help: string;
  readonly settings: readonly SettingFacts[];
}

/** A table with user-chosen keys, such as `[functions.SLUG]`. */
export interface NamesFacts {
  readonly file: SettingsFile;
  /** The table's path. {@link anyName} stands for user-chosen names. */
  readonly path: readonly string[];
  readonly help: string;
  /** The placeholder for the name, such as `SLUG`. */
  readonly placeholder: string;
  /** The regular expression that the names must match, as text. */
  readonly pattern: string;
  readonly upperCase: boolean;
  /**
   * The settings for each name. The paths of these settings contain {@link anyName}. If a path ends with {@link
   * anyName}, the name's value is the setting itself.
   */
  readonly settings: readonly SettingFacts[];
}

/**
 * A section of a settings page, with the keys of the section's settings. In these keys, {@link anyName} stands for
 * user-chosen names.
 */
export interface PartFacts {
  readonly title: string | null;
  readonly text: string | null;
  readonly isRare: boolean;
  readonly keys: readonly string[];
  /** The path of the table with user-chosen keys that this section shows, or null. */
  readonly names: string | null;
  readonly panel: Panel | null;
}

export interface PageFacts {
  readonly id: string;
  readonly group: PageGroup;
  readonly title: string;
  readonly text: string;
  readonly words: string;
  readonly parts: readonly PartFacts[];
}

/** Returns the Console's settings pages. Each setting appears on at most one page. */
export function describePages(): PageFacts[] {
  return settingPages.map(({ words = '', parts, ...page }) => ({
    ...page,
    words,
    parts: parts.map(
      ({ title = null, text = null, isRare = false, settings, names = null, panel = null }) => ({
        title,
        text,
        isRare,
        keys: settings.map(([key]) => key),
        names,
        panel,
      }),
    ),
  }));
}

/** A placeholder for user-chosen names in the paths of {@link NamesFacts}. */
export const anyName = '*';

/** Returns all tables with user-chosen keys, in schema order. */
export function describeNames(): NamesFacts[] {
  return [...namesIn('config.toml', projectSchema, []), ...namesIn('plinth.toml', plinthSchema, [])];
}

function namesIn(file: SettingsFile, node: Node, path: readonly string[]): NamesFacts[] {
  if (node.kind === 'setting') return [];
  if (node.kind === 'section') {
    if (node.pending !== undefined) return [];
    return Object.entries(node.fields as Fields).flatMap(([key, field]) =>
      namesIn(file, field, [...path, key]),
    );
  }
  const { help, placeholder, pattern, upperCase = false, value } = node as Extract<Node, { kind: 'names' }>;
  const below = [...path, anyName];
  const settings =
    value.kind === 'setting'
      ? settingsOf(file, { [anyName]: value }, path)
      : value.kind === 'section'
        ? settingsOf(file, value.fields as Fields, below)
        : [];
  const own = { file, path, help, placeholder, pattern: pattern.source, upperCase, settings };
  return [...(settings.length === 0 ? [] : [own]), ...namesIn(file, value, below)];
}

/**
 * Returns all settings that have an effect, in schema order, except the settings that {@link describeNames} returns.
 */
export function describeSettings(): SectionFacts[] {
  return [...sections('config.toml', projectSchema, []), ...sections('plinth.toml', plinthSchema, [])];
}

function sections(
  file: SettingsFile,
  { help, fields, pending }: Section<Fields>,
  path: readonly string[],
): SectionFacts[] {
  if (pending !== undefined) return [];
  const below = (Object.entries(fields) as [string, Node][]).flatMap(([key, node]) =>
    node.kind === 'section' ? sections(file, node, [...path, key]) : [],
  );
  const settings = settingsOf(file, fields, path);
  return settings.length === 0 ? below : [{ file, path, help, settings }, ...below];
}

function settingsOf(file: SettingsFile, fields: Fields, path: readonly string[]): SettingFacts[] {
  return (Object.entries(fields) as [string, Node][]).flatMap(([key, node]) => {
    if (node.kind !== 'setting' || node.ignored !== undefined || node.pending !== undefined) return [];
    const { type } = node;
    if (type.name === 'any') return [];
    const name = [...path, key].join('.');
    const isForDevelopers = developerSettings[file].has(name);
    const [, label = key, { words = '', unit, options } = {}] = entryOf([...path, key]) ?? [];
    return [
      {
        file,
        path: [...path, key],
        label,
        words,
        ...(unit === undefined ? {} : { unit }),
        ...(options === undefined ? {} : { options }),
        type: type.name,
        ...(type.name === 'enum' ? { values: type.values } : {}),
        ...(type.name === 'integer' ? { min: type.min, max: type.max } : {}),
        default: defaultText(node),
        help: node.help,
        changedBy: isForDevelopers ? 'developer' : 'owner',
        needsFreshSignIn: !isForDevelopers || type.name === 'secret' || !harmlessSettings.has(name),
        restart: restartReason(file, [...path, key]),
      },
    ];
  });
}

function restartReason(file: SettingsFile, path: readonly string[]): string | null {
  const effect = effectOf(file === 'plinth.toml' ? ['plinth', ...path] : path);
  return typeof effect === 'object' ? effect.restart : null;
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
