/** The API page's search parameters. */

export interface ReferenceSearch {
  readonly schema?: string;
  readonly table?: string;
  /** The name of a function. Undefined if a table is open. */
  readonly fn?: string;
  readonly op?: string;
  readonly as?: string;
  /** The language of the code examples. */
  readonly lang?: string;
}

export function validateReferenceSearch(search: Readonly<Record<string, unknown>>): ReferenceSearch {
  const names = ['schema', 'table', 'fn', 'op', 'as', 'lang'] as const;
  return Object.fromEntries(
    names.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])),
  );
}
