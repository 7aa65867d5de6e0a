/**
 * Finds the parameters of statements, such as `$1` and `:name`, and numbers them. PostgreSQL supports only numbered
 * parameters. The numbers in a statement must start at 1 and have no gaps.
 */
import { type Statement, verbOf } from './statements.ts';

/** A statement whose parameters are numbered in the order of their first occurrence. */
export interface Numbered {
  /** The names of the parameters without `:` or `$`. */
  readonly names: readonly string[];
  /**
   * Returns the text of the statement. `write` returns the text to write for the parameter with this number. Numbers
   * start at 1.
   */
  print(write: (number: number) => string): string;
  /** Converts an offset in the text with `$1`, `$2` and so on to an offset in the original text. */
  ownOffset(offset: number): number;
}

/** The kinds of statements that can contain parameters in PostgreSQL. */
const bindable = [
  'select',
  'with',
  'values',
  'table',
  'insert',
  'update',
  'delete',
  'merge',
  'explain',
  'call',
];

interface Place {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

/**
 * Numbers the parameters of a statement.
 *
 * @example numberParameters(splitStatements('select :b, :a, :b')[0]).names; // ['b', 'a']
 */
export function numberParameters(statement: Statement): Numbered {
  const places = bindable.includes(verbOf(statement)) ? placesIn(statement) : [];
  const names = [...new Set(places.map(({ name }) => name))];
  const numberOf = ({ name }: Place): number => names.indexOf(name) + 1;
  return {
    names,
    print(write) {
      let text = '';
      let at = 0;
      for (const place of places) {
        text += statement.text.slice(at, place.start) + write(numberOf(place));
        at = place.end;
      }
      return text + statement.text.slice(at);
    },
    ownOffset(offset) {
      let shift = 0;
      for (const place of places) {
        const printed = `$${numberOf(place)}`.length;
        if (offset < place.start + shift) break;
        if (offset < place.start + shift + printed) return place.start;
        shift += printed - (place.end - place.start);
      }
      return offset - shift;
    },
  };
}

/** Returns the names of all parameters in the order of their first occurrence. */
export const parameterNames = (statements: readonly Statement[]): string[] => [
  ...new Set(statements.flatMap((statement) => numberParameters(statement).names)),
];

/**
 * Finds the parameters in the statement and their positions. A colon doesn't begin a parameter in a cast (`::text`), in
 * a slice (`a[1:n]`), or before whitespace.
 */
function placesIn({ tokens, text, start: offset }: Statement): Place[] {
  const places: Place[] = [];
  let brackets = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.text === '[') brackets++;
    if (token.text === ']') brackets--;
    const start = token.start - offset;
    if (token.kind === 'parameter')
      places.push({ start, end: token.end - offset, name: token.text.slice(1) });
    if (token.text !== ':' || brackets > 0) continue;
    const [previous, next] = [tokens[index - 1], tokens[index + 1]];
    if (next?.kind !== 'word' || next.start !== token.end) continue;
    if (previous?.text === ':' && previous.end === token.start) continue;
    const end = next.end - offset;
    places.push({ start, end, name: text.slice(start + 1, end) });
  }
  return places;
}
