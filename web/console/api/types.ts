/** The shapes of `/console/api`, as the server's `src/console` sends them. */

export type Permission = 'read' | 'secrets' | 'write' | 'own';

export interface Session {
  readonly operator: {
    readonly name: string;
    readonly role: string;
    readonly permissions: readonly Permission[];
  };
  /** `owed` and `missing`: nothing else works before the second factor. */
  readonly factor: 'none' | 'proven' | 'owed' | 'missing';
  readonly csrfToken: string;
}

export interface Home {
  readonly project: string;
  readonly url: string;
  readonly publishableKey: string;
  readonly anonKey: string;
  readonly database: { readonly version: string; readonly embedded: boolean; readonly url: string };
  readonly services: readonly { readonly name: string; readonly fault: string | null }[];
  /** Statements of migrations and seeds that the start left out: the schema is partial. */
  readonly leftOut: readonly { readonly file: string; readonly line: number; readonly message: string }[];
  /** First steps that are done. */
  readonly progress: Readonly<
    Record<'table' | 'policy' | 'user' | 'bucket' | 'function' | 'message', boolean>
  >;
}

export interface RelationSummary {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'partitioned table' | 'view' | 'materialized view' | 'foreign table';
  readonly estimated_rows: number | null;
  readonly rls: boolean;
  readonly policies: number;
  readonly comment: string | null;
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly nullable: boolean;
  readonly default: string | null;
  readonly generated: boolean;
  readonly identity: 'always' | 'by default' | null;
  readonly primary_key: boolean;
  readonly enum_values: readonly string[] | null;
  readonly references: { readonly schema: string; readonly table: string; readonly column: string } | null;
  readonly comment: string | null;
}

export interface ForeignKey {
  readonly name: string;
  readonly columns: readonly string[];
  readonly schema: string;
  readonly table: string;
  readonly references: readonly string[];
}

/** What names a row: columns, the place of its present version in the table, or nothing. */
export type RelationKey =
  | { readonly kind: 'columns'; readonly columns: readonly string[] }
  | { readonly kind: 'place' }
  | { readonly kind: 'none' };

export interface Relation extends RelationSummary {
  readonly columns: readonly Column[];
  readonly key: RelationKey;
  readonly foreign_keys: readonly ForeignKey[];
}

export type Cell = string | null;
export type RowValues = Readonly<Record<string, Cell>>;
export type RowKey = Readonly<Record<string, string>>;
export type CellChange = { readonly value: Cell } | { readonly default: true };

export const filterOperators = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'like',
  'ilike',
  'is_null',
  'not_null',
] as const;
export type FilterOperator = (typeof filterOperators)[number];

export interface Filter {
  readonly column: string;
  readonly operator: FilterOperator;
  readonly value: string;
}

export interface Sort {
  readonly column: string;
  readonly ascending: boolean;
}

export interface RowPage {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly cut: readonly (readonly [number, number])[];
  readonly keys: readonly RowKey[] | null;
  /** Where the former page ends and the next begins; null where only an offset tells. */
  readonly first: readonly Cell[] | null;
  readonly last: readonly Cell[] | null;
  readonly more: boolean;
  readonly estimate: number | null;
}

export interface EditedRow {
  readonly key: RowKey;
  /** The changed columns as they were. */
  readonly before: RowValues;
  readonly row: RowValues;
}

export interface User {
  readonly id: string;
  readonly email?: string;
  readonly phone?: string;
  readonly role?: string;
  readonly created_at: string;
  readonly updated_at?: string;
  readonly last_sign_in_at?: string | null;
  readonly email_confirmed_at?: string | null;
  readonly phone_confirmed_at?: string | null;
  readonly banned_until?: string | null;
  readonly is_anonymous?: boolean;
  readonly app_metadata?: Record<string, unknown>;
  readonly user_metadata?: Record<string, unknown>;
  readonly identities?: readonly {
    readonly identity_id: string;
    readonly provider: string;
    readonly last_sign_in_at?: string | null;
    readonly identity_data?: Record<string, unknown>;
  }[];
  readonly factors?: readonly {
    readonly id: string;
    readonly factor_type: string;
    readonly friendly_name?: string;
    readonly status: string;
    readonly created_at: string;
  }[];
}

export interface UserPage {
  readonly users: readonly User[];
  readonly total: number;
  readonly perPage: number;
}

export interface MessageSummary {
  readonly id: string;
  readonly kind: 'mail' | 'sms';
  readonly from: { readonly name: string; readonly address: string };
  readonly to: string;
  readonly subject: string;
  readonly createdAt: string;
  readonly read: boolean;
  readonly code: string | null;
  readonly link: string | null;
  readonly snippet: string;
}

export interface Message extends MessageSummary {
  readonly text: string;
  readonly hasHtml: boolean;
}
