/** Validates the parameters of the question in the URL. */
import { type AsSearch, validateAs } from '../../components/persona/persona.ts';

export const operations = ['select', 'insert', 'update', 'delete'] as const;
export type Operation = (typeof operations)[number];
export type Cells = Readonly<Record<string, string | null>>;

export interface WhySearch extends AsSearch {
  readonly schema?: string;
  readonly table?: string;
  readonly op?: Operation;
  readonly key?: Cells;
  readonly values?: Cells;
  /** The columns that a logged request wrote. The log doesn't contain the values. */
  readonly columns?: readonly string[];
  /** Whether the statement returns the row (RETURNING). */
  readonly back?: true;
  /** The table of the policy that is being edited, as `schema.table`. Views show rows of other tables. */
  readonly edited?: string;
  /** The policy that is being edited. Undefined for a new policy. */
  readonly policy?: string;
  /** The ID of the logged request used to prefill the question. */
  readonly request?: string;
}

export function validateWhySearch(search: Readonly<Record<string, unknown>>): WhySearch {
  const { schema, table, request, edited } = search;
  const op = operations.find((each) => each === search.op);
  const key = cellsOf(search.key);
  const values = cellsOf(search.values);
  return {
    ...validateAs(search),
    // The page is about the project's users, so the operator isn't the default persona and must be selected explicitly.
    ...(search.as === 'operator' ? { as: 'operator' } : {}),
    ...(typeof schema === 'string' && typeof table === 'string' ? { schema, table } : {}),
    ...(op === undefined ? {} : { op }),
    ...(key === undefined ? {} : { key }),
    ...(values === undefined ? {} : { values }),
    ...(Array.isArray(search.columns) ? { columns: search.columns.map(String) } : {}),
    ...(search.back === true ? { back: true as const } : {}),
    ...(typeof edited === 'string' && edited !== '' ? { edited } : {}),
    ...(search.policy === undefined ? {} : { policy: String(search.policy) }),
    ...(typeof request === 'string' && request !== '' ? { request } : {}),
  };
}

function cellsOf(value: unknown): Cells | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined;
  const cells = Object.entries(value).filter(
    ([, cell]) => cell === null || ['string', 'number', 'boolean'].includes(typeof cell),
  );
  return Object.fromEntries(cells.map(([name, cell]) => [name, cell === null ? null : String(cell)]));
}
