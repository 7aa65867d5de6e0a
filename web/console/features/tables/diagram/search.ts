/** Validates the search parameters of the diagram. */
export interface DiagramSearch {
  /** The only schema to show, or `*` for all schemas. Without it, the project's schemas are shown. */
  readonly schema?: string;
  /** The table, as `schema.table`, whose neighborhood is shown. */
  readonly near?: string;
  /** The maximum number of relations between `near` and a table in its neighborhood. */
  readonly depth?: number;
  readonly view?: 'list';
  readonly columns?: 'keys';
  /** The open table, as `schema.table`. */
  readonly open?: string;
  /** The open foreign key of the open table. */
  readonly key?: string;
}

export const maxDepth = 3;

export function validateDiagramSearch(search: Readonly<Record<string, unknown>>): DiagramSearch {
  const { schema, near, view, columns, open, key } = search;
  const depth = Number(search.depth);
  return {
    ...(schema === undefined || schema === '' ? {} : { schema: String(schema) }),
    ...(near === undefined || near === '' ? {} : { near: String(near) }),
    ...(Number.isInteger(depth) && depth > 1 && depth <= maxDepth ? { depth } : {}),
    ...(view === 'list' ? { view } : {}),
    ...(columns === 'keys' ? { columns } : {}),
    ...(open === undefined ? {} : { open: String(open) }),
    ...(open === undefined || key === undefined ? {} : { key: String(key) }),
  };
}
