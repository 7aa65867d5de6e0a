/** Lists the sections of the settings pages, including sections for user-chosen names. */
import {
  anyName,
  type NamesFacts,
  type SectionFacts,
  type SettingFacts,
  type SettingsFile,
} from '../../../platform/config/index.ts';
import { allSettings } from './known.ts';
import { at, isTable, type Table, tableOf } from './toml.ts';

/**
 * A section of the page. If the section's table has user-chosen keys, the section also contains the settings for a new
 * name.
 */
export interface ShownSection extends SectionFacts {
  readonly names?: Pick<NamesFacts, 'placeholder' | 'pattern' | 'upperCase'> & {
    /** The settings of a newly added name. In the paths of these settings, {@link anyName} stands for the name. */
    readonly settings: readonly SettingFacts[];
  };
}

/**
 * Returns all sections. For a table with user-chosen keys, the section contains the settings for each name in the
 * table.
 * @throws {ConsoleError} refused
 */
export function sectionsIn(texts: Readonly<Record<SettingsFile, string>>): ShownSection[] {
  const { sections, names } = allSettings();
  const tables = names.flatMap((facts) => {
    const table = tableOf(facts.file, texts[facts.file]);
    return refsOf(table, facts.path).map((path): ShownSection => {
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

/** Returns the path with `first` in place of its first parts. */
const within = (path: readonly string[], first: readonly string[]): string[] => [
  ...first,
  ...path.slice(first.length),
];

/** Returns all paths in the file that match a path in which placeholders stand for names. */
function refsOf(table: Table, path: readonly string[]): string[][] {
  const index = path.indexOf(anyName);
  if (index < 0) return [[...path]];
  const inner = at(table, path.slice(0, index));
  return (isTable(inner) ? Object.keys(inner) : []).flatMap((name) =>
    refsOf(table, [...path.slice(0, index), name, ...path.slice(index + 1)]),
  );
}
