/** Finds the tables whose columns can be used at the cursor, so that the columns can be offered as completions. */
import type { SqlNames } from './types.ts';

type Table = SqlNames['tables'][number];

const name = String.raw`(?:"(?:[^"]|"")+"|[\w$]+)`;
const qualified = String.raw`${name}(?:\s*\.\s*${name})?`;
/** A table after FROM, JOIN, UPDATE or INTO, and the tables that follow it in a list. */
const source = new RegExp(
  String.raw`\b(?:from|join|update|into)\s+(?:only\s+)?(${qualified}(?:(?:\s+(?:as\s+)?${name})?\s*,\s*${qualified})*)`,
  'gi',
);

/**
 * Returns the tables that the statement around the cursor reads or writes, and the table of the policy or index that is
 * being edited.
 * @example
 * tablesInScope('select * from notes where ', 26, names); // the table public.notes
 */
export function tablesInScope(
  text: string,
  at: number,
  { tables }: SqlNames,
  own?: { readonly schema: string; readonly table: string },
): Table[] {
  const statement = statementAround(withoutLiterals(text), at);
  const mentioned = [...statement.matchAll(source)].flatMap(([, list = '']) =>
    list.split(',').map((each) => partsOf(each)),
  );
  return tables.filter(
    ({ schema, name: table }) =>
      (own?.schema === schema && own.table === table) ||
      mentioned.some((parts) =>
        parts.length > 1 ? parts[0] === schema && parts[1] === table : parts[0] === table,
      ),
  );
}

/** Replaces strings and comments with spaces, so that the positions don't change. */
const withoutLiterals = (text: string): string =>
  text.replace(/'(?:[^']|'')*'?|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g, (match) => ' '.repeat(match.length));

function statementAround(text: string, at: number): string {
  const end = text.indexOf(';', at);
  return text.slice(text.lastIndexOf(';', at - 1) + 1, end < 0 ? undefined : end);
}

/** Returns the schema, if there is one, and the name at the start of the text. */
function partsOf(text: string): string[] {
  const start = new RegExp(String.raw`^\s*(${qualified})`).exec(text)?.[1] ?? '';
  return [...start.matchAll(new RegExp(name, 'g'))].map(([part]) =>
    part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part.toLowerCase(),
  );
}
