/** The sections of the settings page, including user-chosen names, and the keys that differ between two texts. */
import {
  anyName,
  type NamesFacts,
  type SectionFacts,
  type SettingFacts,
  type SettingsFile,
} from '../../config/index.ts';
import { names, sections } from './known.ts';
import { at, isTable, type Table, tableOf } from './toml.ts';

/** A section of settings. A table of names also has the settings of a new name. */
export interface ShownSection extends SectionFacts {
  readonly names?: Pick<NamesFacts, 'placeholder' | 'pattern' | 'upperCase'> & {
    /** In their paths, {@link anyName} replaces the name. */
    readonly settings: readonly SettingFacts[];
  };
}

/** Returns every section. Tables of names have settings for each existing name. @throws {ConsoleError} refused */
export function sectionsIn(texts: Readonly<Record<SettingsFile, string>>): ShownSection[] {
  const tables = names.flatMap((facts) => {
    const table = tableOf(facts.file, texts[facts.file]);
    return placesOf(table, facts.path).map((path): ShownSection => {
      const { placeholder, pattern, upperCase } = facts;
      const inner = at(table, path);
      const template = facts.settings.map((one) => ({ ...one, path: within(one.path, path) }));
      const present = isTable(inner) ? Object.keys(inner) : [];
      return {
        file: facts.file,
        path,
        help: facts.help,
        names: { placeholder, pattern, upperCase, settings: template },
        settings: present.flatMap((name) =>
          template.map((one) => ({ ...one, path: within(one.path, [...path, name]) })),
        ),
      };
    });
  });
  return [...sections, ...tables];
}

/** Returns `path` with its first parts replaced. */
const within = (path: readonly string[], first: readonly string[]): string[] => [
  ...first,
  ...path.slice(first.length),
];

/** Returns the paths that match a path with user-chosen names. */
function placesOf(table: Table, path: readonly string[]): string[][] {
  const index = path.indexOf(anyName);
  if (index < 0) return [[...path]];
  const inner = at(table, path.slice(0, index));
  return (isTable(inner) ? Object.keys(inner) : []).flatMap((name) =>
    placesOf(table, [...path.slice(0, index), name, ...path.slice(index + 1)]),
  );
}

/** Returns the dotted keys whose values differ. */
export function changedKeys(file: SettingsFile, before: string, after: string): string[] {
  const [former, present] = [flat(tableOf(file, before)), flat(tableOf(file, after))];
  return [...new Set([...former.keys(), ...present.keys()])]
    .filter((key) => former.get(key) !== present.get(key))
    .sort();
}

function flat(table: Table, path: readonly string[] = []): Map<string, string> {
  return new Map(
    Object.entries(table).flatMap(([name, value]) =>
      isTable(value)
        ? [...flat(value, [...path, name])]
        : [[[...path, name].join('.'), JSON.stringify(value)] as const],
    ),
  );
}
