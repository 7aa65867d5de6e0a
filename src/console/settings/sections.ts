/** Lists the sections of the settings page, including names that the user chose. */
import {
  anyName,
  type NamesFacts,
  type SectionFacts,
  type SettingFacts,
  type SettingsFile,
} from '../../config/index.ts';
import { names, sections } from './known.ts';
import { at, isTable, type Table, tableOf } from './toml.ts';

/** A section of the page. If the user chooses the names in its table, it also has the settings for a new name. */
export interface ShownSection extends SectionFacts {
  readonly names?: Pick<NamesFacts, 'placeholder' | 'pattern' | 'upperCase'> & {
    /** The settings for a new name. In their paths, {@link anyName} stands for the name. */
    readonly settings: readonly SettingFacts[];
  };
}

/**
 * Returns all sections. A table whose names the user chooses has settings for each name that it contains. @throws
 * {ConsoleError} refused
 */
export function sectionsIn(texts: Readonly<Record<SettingsFile, string>>): ShownSection[] {
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

/** Returns the path with its first parts replaced with `first`. */
const within = (path: readonly string[], first: readonly string[]): string[] => [
  ...first,
  ...path.slice(first.length),
];

/** Returns all paths in the file that match a path with placeholders for names. */
function refsOf(table: Table, path: readonly string[]): string[][] {
  const index = path.indexOf(anyName);
  if (index < 0) return [[...path]];
  const inner = at(table, path.slice(0, index));
  return (isTable(inner) ? Object.keys(inner) : []).flatMap((name) =>
    refsOf(table, [...path.slice(0, index), name, ...path.slice(index + 1)]),
  );
}
