/** What is shown, as it stands in the address. */

export interface ReferenceSearch {
  readonly schema?: string;
  readonly table?: string;
  /** A function instead of a table. */
  readonly fn?: string;
  readonly op?: string;
  readonly as?: string;
}

export function validateReferenceSearch(search: Readonly<Record<string, unknown>>): ReferenceSearch {
  const names = ['schema', 'table', 'fn', 'op', 'as'] as const;
  return Object.fromEntries(
    names.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])),
  );
}
