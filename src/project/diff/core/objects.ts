/** Lists the differences between two schemas by object, with the definitions of each object on both sides. */
import { type DiffLine, diffLines } from '../../../base/shared/diff-lines.ts';
import { splitSql } from '../../../base/shared/sql/split.ts';
import type { SchemaDiff } from '../types.ts';
import { type IndexTables, indexTables, keyOf, type Subject, subjectOf } from './subject.ts';

/** An object that isn't the same in both schemas. */
export interface ObjectDifference extends Subject {
  /** `added`: only the second schema contains the object. `removed`: only the first schema contains it. */
  readonly change: 'added' | 'removed' | 'changed';
  /** The statements that create the object in the first schema and in the second one, line by line. */
  readonly lines: readonly DiffLine[];
  /** The statements that make the object of the first schema equal to that of the second, or an empty string. */
  readonly forward: string;
  /** The statements that make the object of the second schema equal to that of the first, or an empty string. */
  readonly backward: string;
  /** Whether a statement in `forward` or in `backward` can delete data. */
  readonly losesData: { readonly forward: boolean; readonly backward: boolean };
  /** The files that contain a statement about the object. */
  readonly files: readonly string[];
}

export interface ComparedSchemas {
  /** The statements that create the first schema and the second schema from an empty project. */
  readonly first: SchemaDiff;
  readonly second: SchemaDiff;
  readonly forward: SchemaDiff;
  readonly backward: SchemaDiff;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

export function objectDifferences(compared: ComparedSchemas): ObjectDifference[] {
  const { first, second, forward, backward, files } = compared;
  const texts = [first, second].flatMap(({ statements }) => statements.map(({ text }) => text));
  const indexes = indexTables(texts);
  const [left, right, there, back] = [first, second, forward, backward].map((diff) => grouped(diff, indexes));
  const mentioned = mentions(files, indexes);
  const keys = [...new Set([...(there?.keys() ?? []), ...(back?.keys() ?? [])])];
  return keys.map((key) => {
    const [before, after, next, previous] = [left, right, there, back].map((groups) => groups?.get(key));
    const subject = (after ?? before ?? next ?? previous)?.subject ?? other;
    const definition = (group: Group | undefined): string => group?.texts.map(shown).join('\n') ?? '';
    const same = definition(before) === definition(after);
    return {
      ...subject,
      change:
        before === undefined && after !== undefined ? 'added' : after === undefined ? 'removed' : 'changed',
      // Some differences, such as the order of columns, don't appear in the definitions.
      lines: same
        ? diffLines(definition(previous), definition(next))
        : diffLines(definition(before), definition(after)),
      forward: scriptOf(next),
      backward: scriptOf(previous),
      losesData: { forward: next?.losesData ?? false, backward: previous?.losesData ?? false },
      files: mentioned.get(key) ?? [],
    };
  });
}

interface Group {
  readonly subject: Subject;
  readonly texts: string[];
  losesData: boolean;
}

const other: Subject = { kind: '', name: '' };

function grouped({ statements }: SchemaDiff, indexes: IndexTables): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const { text, isDestructive } of statements) {
    if (/^SET\s/.test(text)) continue;
    const subject = subjectOf(text, indexes) ?? other;
    const key = keyOf(subject);
    const known = groups.get(key);
    const group = known ?? { subject, texts: [], losesData: false };
    group.texts.push(text);
    group.losesData ||= isDestructive;
    if (known === undefined) groups.set(key, group);
    // ALTER TABLE can change a view, but CREATE names the object's real kind.
    else if (/^CREATE\s/.test(text) && keyOf(known.subject) === keyOf(subject) && isDefining(text))
      groups.set(key, { ...group, subject });
  }
  return groups;
}

const isDefining = (text: string): boolean =>
  !/^CREATE (?:UNIQUE INDEX|INDEX|POLICY|TRIGGER|CONSTRAINT TRIGGER|RULE|OR REPLACE RULE)\s/.test(text);

const scriptOf = (group: Group | undefined): string =>
  group === undefined ? '' : `${group.texts.map((text) => `${text};`).join('\n\n')}\n`;

/** Returns the files that contain a statement about each object, by the object's key. */
function mentions(files: ComparedSchemas['files'], indexes: IndexTables): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { path, text } of files)
    for (const { start, end } of splitSql(text)) {
      const subject = subjectOf(withoutLeadingComments(text.slice(start, end)), indexes);
      if (subject === undefined) continue;
      const paths = found.get(keyOf(subject)) ?? [];
      if (!paths.includes(path)) found.set(keyOf(subject), [...paths, path]);
    }
  return found;
}

const withoutLeadingComments = (text: string): string =>
  text.replace(/^(?:\s|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/, '');

/** Returns the statement with each column and constraint of a new table on a separate line. */
export function shown(statement: string): string {
  const [head] = /^CREATE (?:UNLOGGED )?TABLE [^(]*\(/.exec(statement) ?? [];
  if (head === undefined) return `${statement};`;
  const parts: string[] = [];
  let depth = 0;
  let start = head.length;
  let quote: string | undefined;
  for (let index = head.length; index < statement.length; index++) {
    const char = statement[index];
    if (quote !== undefined) {
      if (char === quote) quote = undefined;
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '(' || char === '[') depth++;
    else if (depth === 0 && char === ')') {
      parts.push(statement.slice(start, index).trim());
      return `${head}\n${parts.map((each) => `  ${each}`).join(',\n')}\n${statement.slice(index)};`;
    } else if (char === ')' || char === ']') depth--;
    else if (depth === 0 && char === ',') {
      parts.push(statement.slice(start, index).trim());
      start = index + 1;
    }
  }
  return `${statement};`;
}
