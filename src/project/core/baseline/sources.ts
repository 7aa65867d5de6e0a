/** Reads from the migrations' text the renames and function signatures that later statements will apply. */
import { lex } from '../../../shared/sql/lex.ts';
import { identifier, isCreatedBy, partsOf, type SqlText, withoutComments } from '../missing.ts';

export interface Header {
  /** As written, without the parentheses. */
  readonly parameters: string;
  readonly returns: string;
}

/** The later names of tables and columns, and the signatures of functions. */
export class Sources {
  readonly #texts: readonly string[];
  constructor(files: readonly SqlText[]) {
    this.#texts = files.map(({ text }) => withoutComments(text));
  }

  creates(kind: 'type', schema: string, name: string): boolean {
    return this.#texts.some((text) => isCreatedBy(text, kind, schema, name));
  }

  /** The new name in `alter table OLD rename to NEW`. */
  newTableName(old: string): string | undefined {
    return this.#renamed(old, String.raw`rename\s+to\s+(${identifier})`);
  }

  newColumnName(table: string, old: string): string | undefined {
    return this.#renamed(
      table,
      String.raw`rename\s+(?:column\s+)?"?${escaped(old)}"?\s+to\s+(${identifier})`,
    );
  }

  #renamed(table: string, action: string): string | undefined {
    const pattern = new RegExp(
      String.raw`\balter\s+table\s+(?:if\s+exists\s+)?(?:only\s+)?(?:${identifier}\s*\.\s*)?"?${escaped(table)}"?\s+${action}`,
      'i',
    );
    for (const text of this.#texts) {
      const found = pattern.exec(text)?.[1];
      if (found !== undefined) return partsOf(found)[0];
    }
    return undefined;
  }

  /** Returns the first function with the name. */
  functionHeader(name: string): Header | undefined {
    const start = new RegExp(
      String.raw`\bcreate\s+(?:or\s+replace\s+)?function\s+(?:${identifier}\s*\.\s*)?"?${escaped(name)}"?\s*\(`,
      'i',
    );
    for (const text of this.#texts) {
      const match = start.exec(text);
      if (match === null) continue;
      const header = headerBehind(text.slice(match.index + match[0].length));
      if (header !== undefined) return header;
    }
    return undefined;
  }
}

const escaped = (name: string): string => name.replace(/[^\w]/g, String.raw`\$&`);

/** The words that end a `returns …` clause. */
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
