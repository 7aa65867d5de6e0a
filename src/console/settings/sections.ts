/** The settings as the page shows them, with those of the user's own names, and what differs between two texts. */
import {
  anyName,
  type NamesFacts,
  type SectionFacts,
  type SettingFacts,
  type SettingsFile,
} from '../../config/index.ts';
import { names, sections } from './known.ts';
import { at, isTable, type Table, tableOf } from './toml.ts';

/** A section of settings as a page shows it; of a table of names, with what a further name may have. */
export interface ShownSection extends SectionFacts {
  readonly names?: Pick<NamesFacts, 'placeholder' | 'pattern' | 'upperCase'> & {
    /** {@link anyName} stands where the name will. */
    readonly settings: readonly SettingFacts[];
  };
}

/** Every section; tables of names with a setting for each name that is there. @throws {ConsoleError} refused */
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

/** `path` with its first parts as given. */
const within = (path: readonly string[], first: readonly string[]): string[] => [
  ...first,
  ...path.slice(first.length),
];

/** The paths that one with names in it stands for. */
function placesOf(table: Table, path: readonly string[]): string[][] {
  const index = path.indexOf(anyName);
  if (index < 0) return [[...path]];
  const inner = at(table, path.slice(0, index));
  return (isTable(inner) ? Object.keys(inner) : []).flatMap((name) =>
    placesOf(table, [...path.slice(0, index), name, ...path.slice(index + 1)]),
  );
}

/** Dotted keys whose values differ. */
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
