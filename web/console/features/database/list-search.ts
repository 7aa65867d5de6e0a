/** Search parameters that the lists of the section share. */
import { bySchema, isSystemSchema } from '../../api/system-schemas.ts';

export interface ObjectSearch {
  /** The words that an object's name must contain. */
  readonly filter?: string;
  readonly schema?: string;
  /** Whether objects of services and extensions are listed too. */
  readonly system?: true;
  readonly page?: number;
  /** The open object. */
  readonly open?: string;
}

export function validateObjectSearch(search: Readonly<Record<string, unknown>>): ObjectSearch {
  const page = Number(search.page);
  // The router parses text that consists only of digits as a number.
  const text = (name: 'filter' | 'schema' | 'open'): { readonly [Name in typeof name]?: string } => {
    const value = search[name];
    return (typeof value === 'string' && value !== '') || typeof value === 'number'
      ? { [name]: String(value) }
      : {};
  };
  return {
    ...text('filter'),
    ...text('schema'),
    ...text('open'),
    ...(search.system === true ? { system: true as const } : {}),
    ...(Number.isSafeInteger(page) && page > 1 ? { page } : {}),
  };
}

export const perPage = 100;

interface Listed {
  readonly schema: string;
  readonly extension?: string | null;
}

/** Returns the objects that match, those of the current page, and the schemas that can be chosen. */
export function listed<Item extends Listed>(
  items: readonly Item[],
  { filter = '', schema, system, page = 1 }: ObjectSearch,
  textOf: (item: Item) => string,
): { readonly found: readonly Item[]; readonly shown: readonly Item[]; readonly schemas: readonly string[] } {
  const known = items.filter(
    (item) =>
      system === true ||
      item.schema === schema ||
      (!isSystemSchema(item.schema) && (item.extension ?? null) === null),
  );
  const words = filter.toLowerCase().split(/\s+/);
  const found = known
    .filter((item) => schema === undefined || item.schema === schema)
    .filter((item) => {
      const text = textOf(item).toLowerCase();
      return words.every((word) => text.includes(word));
    });
  const schemas = [...new Set(items.map((item) => item.schema))]
    .filter((name) => system === true || name === schema || !isSystemSchema(name))
    .sort(bySchema);
  return { found, shown: found.slice((page - 1) * perPage, page * perPage), schemas };
}
