/** Describes the schema for the model, as far as it fits. */
import { oneLine } from './hostile.ts';

export interface AskColumn {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly comment: string | null;
}

export interface AskTable {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly comment: string | null;
  readonly columns: readonly AskColumn[];
  readonly primaryKey: readonly string[];
  /** Foreign keys, such as `(user_id) references public.users (id)`. */
  readonly references: readonly { readonly text: string; readonly table: string }[];
  readonly policies: readonly string[];
}

export const maxSchemaChars = 24_000;
const maxListChars = 4000;
const maxCommentChars = 200;

/**
 * Returns the description of the tables. If not all tables fit, those are described that the question and the SQL
 * mention, and the tables that they reference. The names of the others are listed.
 */
export function schemaText(tables: readonly AskTable[], words: string): string {
  const ranked = rank(tables, words);
  const described: string[] = [];
  const others: string[] = [];
  let size = 0;
  for (const table of ranked) {
    const text = tableText(table);
    if (size + text.length > maxSchemaChars) {
      others.push(oneLine(`${table.schema}.${table.name}`, 130));
      continue;
    }
    size += text.length;
    described.push(text);
  }
  if (others.length === 0) return described.join('\n');
  return `${described.join('\n')}\nOther tables, not described: ${oneLine(others.join(', '), maxListChars)}`;
}

function rank(tables: readonly AskTable[], words: string): AskTable[] {
  const terms = [...new Set(words.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? [])].map(stem);
  const mentions = (text: string): number => {
    const parts = text.toLowerCase();
    return terms.filter((term) => parts.includes(term)).length;
  };
  const scores = new Map(
    tables.map((table) => [
      nameOf(table),
      4 * mentions(table.name) +
        mentions(table.comment ?? '') +
        mentions(table.columns.map(({ name }) => name).join(' ')),
    ]),
  );
  const own = new Map(scores);
  for (const table of tables)
    for (const { table: target } of table.references) {
      const score = own.get(nameOf(table)) ?? 0;
      if (score > 0) scores.set(target, (scores.get(target) ?? 0) + score / 2);
    }
  const scoreOf = (table: AskTable): number => scores.get(nameOf(table)) ?? 0;
  return tables.toSorted(
    (left, right) => scoreOf(right) - scoreOf(left) || (nameOf(left) < nameOf(right) ? -1 : 1),
  );
}

const nameOf = ({ schema, name }: AskTable): string => `${schema}.${name}`;

/** Removes the plural's ending, so that `orders` also finds `order`. */
const stem = (term: string): string => (term.length > 4 ? term.replace(/(?:ies|es|s|y)$/, '') : term);

function tableText({
  schema,
  name,
  kind,
  comment,
  columns,
  primaryKey,
  references,
  policies,
}: AskTable): string {
  const lines = [
    `${kind} ${oneLine(`${schema}.${name}`, 130)}${commentText(comment)}`,
    ...columns.map(
      (column) =>
        `  ${oneLine(column.name, 63)} ${oneLine(column.type, 100)}${column.nullable ? '' : ' not null'}${commentText(column.comment)}`,
    ),
    ...(primaryKey.length === 0
      ? []
      : [`  primary key (${primaryKey.map((each) => oneLine(each, 63)).join(', ')})`]),
    ...references.map(({ text }) => `  foreign key ${oneLine(text, 300)}`),
    ...(policies.length === 0
      ? []
      : [
          `  policies: ${policies
            .map((each) => oneLine(each, 63))
            .join('; ')
            .slice(0, 500)}`,
        ]),
  ];
  return `${lines.join('\n')}\n`;
}

const commentText = (comment: string | null): string =>
  comment === null || comment === '' ? '' : ` -- ${oneLine(comment, maxCommentChars)}`;
