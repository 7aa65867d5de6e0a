/**
 * Reads the text of the migrations to find out how later statements rename tables and columns, and which functions they
 * declare.
 */
import { lex } from '../../../base/shared/sql/lex.ts';
import { identifier, isCreatedBy, partsOf, type SqlText, withoutComments } from '../../folder/index.ts';
import { parameterType } from './type-names.ts';

interface Header {
  /** The parameters as written, without the parentheses. */
  readonly parameters: string;
  readonly returns: string;
}

/** Looks up the later names of tables and columns, and the signatures of functions. */
export class Sources {
  readonly #texts: readonly string[];
  constructor(files: readonly SqlText[]) {
    this.#texts = files.map(({ text }) => withoutComments(text));
  }

  creates(kind: 'type', schema: string, name: string): boolean {
    return this.#texts.some((text) => isCreatedBy(text, kind, schema, name));
  }

  /** Whether every statement that creates this table contains `if not exists`. */
  createsIfMissing(schema: string, name: string): boolean {
    const pattern = new RegExp(
      String.raw`\bcreate\s+(?:unlogged\s+)?table\s+(?<guard>if\s+not\s+exists\s+)?(?:(?<schema>${identifier})\s*\.\s*)?"?${RegExp.escape(name)}"?(?![\w$])`,
      'gi',
    );
    const guards = this.#texts.flatMap((text) =>
      [...text.matchAll(pattern)].flatMap(({ groups = {} }) =>
        (partsOf(groups.schema ?? '')[0] ?? 'public') === schema ? [groups.guard !== undefined] : [],
      ),
    );
    return guards.length > 0 && guards.every(Boolean);
  }

  /** Returns the columns of each `on conflict (…)` in an insert into the table. Inserts in functions are included. */
  conflictTargets(table: string): string[][] {
    const pattern = new RegExp(
      String.raw`\binsert\s+into\s+(?:${identifier}\s*\.\s*)?"?${RegExp.escape(table)}"?(?![\w$])(?:(?!\binsert\s+into\b)[^;])*?\bon\s+conflict\s*\(([^()]*)\)(?!\s*where\b)`,
      'gi',
    );
    return this.#texts.flatMap((text) =>
      [...text.matchAll(pattern)].map(([, columns = '']) =>
        columns.split(',').flatMap((column) => partsOf(column)[0] ?? []),
      ),
    );
  }

  /** Returns the enum's values from `create type NAME as enum (…)`. */
  enumValues(name: string): string[] | undefined {
    const pattern = new RegExp(
      String.raw`\bcreate\s+type\b[^;(]*?(?<![\w$])"?${RegExp.escape(name)}"?\s+as\s+enum\s*\(([^()]*)\)`,
      'i',
    );
    const list = this.#texts.map((text) => pattern.exec(text)?.[1]).find((found) => found !== undefined);
    return list === undefined ? undefined : stringsIn(list);
  }

  /** Whether a statement drops or alters the type. If true, the type existed before the migrations. */
  changesType(name: string): boolean {
    const pattern = new RegExp(
      String.raw`\b(drop|alter)\s+(type|domain)\s+(if\s+exists\s+)?(?:${identifier}\s*\.\s*)?"?${RegExp.escape(name)}"?(?![\w$])`,
      'i',
    );
    return this.#texts.some((text) => pattern.test(text));
  }

  /** Returns the table's new name from `alter table OLD rename to NEW`. */
  newTableName(old: string): string | undefined {
    return this.#renamed(old, String.raw`rename\s+to\s+(${identifier})`);
  }

  newColumnName(table: string, old: string): string | undefined {
    return this.#renamed(
      table,
      String.raw`rename\s+(?:column\s+)?"?${RegExp.escape(old)}"?\s+to\s+(${identifier})`,
    );
  }

  #renamed(table: string, action: string): string | undefined {
    const pattern = new RegExp(
      String.raw`\balter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?(?:${identifier}\s*\.\s*)?"?${RegExp.escape(table)}"?\s+${action}`,
      'i',
    );
    for (const text of this.#texts) {
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) return partsOf(found)[0];
    }
    return undefined;
  }

  /** Returns the first function that has this name and accepts this number of arguments. */
  functionHeader(name: string, argumentCount: number): Header | undefined {
    return this.#functionHeaders(name).find((header) => accepts(parametersOf(header), argumentCount));
  }

  /** Returns the parameter types of all functions that have this name and accept this number of arguments. */
  functionParameters(name: string, argumentCount: number): (readonly string[])[] {
    return this.#functionHeaders(name)
      .map(parametersOf)
      .filter((parameters) => accepts(parameters, argumentCount))
      .map((parameters) => parameters.map(({ type }) => type));
  }

  #functionHeaders(name: string): Header[] {
    const start = new RegExp(
      String.raw`\bcreate\s+(?:or\s+replace\s+)?function\s+(?:${identifier}\s*\.\s*)?"?${RegExp.escape(name)}"?\s*\(`,
      'gi',
    );
    return this.#texts.flatMap((text) =>
      [...text.matchAll(start)].flatMap(
        (match) => headerBehind(text.slice(match.index + match[0].length)) ?? [],
      ),
    );
  }
}

interface Parameter {
  readonly type: string;
  readonly isOptional: boolean;
}

const parametersOf = ({ parameters }: Header): Parameter[] =>
  listItems(parameters).flatMap((written) => parameterType(written) ?? []);

const accepts = (parameters: readonly Parameter[], argumentCount: number): boolean =>
  argumentCount <= parameters.length &&
  argumentCount >= parameters.filter(({ isOptional }) => !isOptional).length;

/** Splits a list at its commas, except at commas in parentheses. */
function listItems(list: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let first = 0;
  for (const { kind, start, end } of lex(list)) {
    const text = kind === 'symbol' ? list.slice(start, end) : '';
    if (text === '(' || text === '[') depth++;
    if (text === ')' || text === ']') depth--;
    if (text !== ',' || depth > 0) continue;
    items.push(list.slice(first, start));
    first = end;
  }
  items.push(list.slice(first));
  return items.filter((item) => item.trim() !== '');
}

const stringsIn = (text: string): string[] =>
  [...text.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = '']) => value.replaceAll("''", "'"));

/**
 * Returns the values that an enum must have before this statement changes it.
 *
 * @example valuesBefore("alter type status rename value 'open' to 'new'") // ['open']
 */
export function valuesBefore(statement: string): string[] | undefined {
  if (!/^\s*alter\s+type\b/i.test(statement)) return undefined;
  const [first, second] = stringsIn(statement);
  if (/\badd\s+value\b/i.test(statement)) return second === undefined ? [] : [second];
  return /\brename\s+value\b/i.test(statement) && first !== undefined ? [first] : undefined;
}

/** Matches the words that can follow a `returns …` clause. */
const clause =
  /^(language|as|stable|immutable|volatile|security|set|strict|called|leakproof|parallel|cost|rows|support|window|begin|return|not)$/i;

function headerBehind(text: string): Header | undefined {
  let depth = 1;
  let parametersEnd: number | undefined;
  let returnsStart: number | undefined;
  for (const { kind, start, end } of lex(text)) {
    const word = text.slice(start, end);
    if (kind === 'symbol' && word === '(') depth++;
    if (kind === 'symbol' && word === ')') depth--;
    if (depth === 0 && parametersEnd === undefined) parametersEnd = start;
    else if (parametersEnd !== undefined && kind === 'word' && returnsStart === undefined) {
      if (!/^returns$/i.test(word)) return undefined;
      returnsStart = end;
    } else if (
      returnsStart !== undefined &&
      depth === 0 &&
      (kind === 'string' || (kind === 'word' && clause.test(word)))
    )
      return {
        parameters: text.slice(0, parametersEnd).trim(),
        returns: text.slice(returnsStart, start).trim(),
      };
  }
  return undefined;
}
