/** Formats the cells of a result for files. Cells are passed in PostgreSQL's text format. */
import { readArray } from '../../../../platform/database/index.ts';

const numberOids = [20, 21, 23, 26, 700, 701, 1700];
const booleanOid = 16;
const jsonOids = [114, 3802];
/** The OIDs of array types, each with the OID of the element type. */
const elementOids: Readonly<Record<number, number>> = {
  199: 114,
  1000: 16,
  1002: 1042,
  1005: 21,
  1007: 23,
  1009: 25,
  1015: 1043,
  1016: 20,
  1021: 700,
  1022: 701,
  1028: 26,
  1115: 1114,
  1182: 1082,
  1185: 1184,
  1231: 1700,
  2951: 2950,
  3807: 3802,
};

/** Matches numbers that JSON can represent. NaN and infinite values don't match. */
const jsonNumber = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Formats a cell as JSON. Numbers keep all of their digits. */
export function jsonCell(text: string | null, typeOid: number): string {
  if (text === null) return 'null';
  if (numberOids.includes(typeOid)) return jsonNumber.test(text) ? text : JSON.stringify(text);
  if (typeOid === booleanOid) return text === 't' ? 'true' : 'false';
  if (jsonOids.includes(typeOid)) return text;
  const element = elementOids[typeOid];
  return element === undefined
    ? JSON.stringify(text)
    : jsonList(readArray(text, (item) => ({ text: item })) as readonly Item[], element);
}

type Item = { readonly text: string } | null | readonly Item[];

function jsonList(items: readonly Item[], typeOid: number): string {
  const printed = items.map((item) =>
    item === null || 'text' in item ? jsonCell(item?.text ?? null, typeOid) : jsonList(item, typeOid),
  );
  return `[${printed.join(',')}]`;
}

/** Makes column names unique, because they are used as the keys of an object. */
export function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let number = 2; taken.has(unique); number++) unique = `${name}_${number}`;
    taken.add(unique);
    return unique;
  });
}
