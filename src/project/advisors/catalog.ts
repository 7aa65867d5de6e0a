/** The catalog data that the rules read. */

export type RelationKind = 'table' | 'partitioned table' | 'view' | 'materialized view' | 'foreign table';

/** The roles with which requests run unless the client uses a secret key. */
export const clientRoles = ['anon', 'authenticated'] as const;
export type ClientRole = (typeof clientRoles)[number];

export type ClientCommand = 'select' | 'insert' | 'update' | 'delete';

export interface Relation {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  readonly kind: RelationKind;
  readonly ownedByExtension: boolean;
  readonly rowSecurity: boolean;
  readonly hasPrimaryKey: boolean;
  /** Whether the view checks the privileges and policies of the caller instead of its owner's. */
  readonly securityInvoker: boolean;
  /** The client roles that can read the whole relation. */
  readonly readableBy: readonly ClientRole[];
  /** The commands that each client role may run, if it may run any. */
  readonly access: readonly { readonly role: ClientRole; readonly commands: readonly ClientCommand[] }[];
  /** The client roles that can read at least one column. */
  readonly columnsReadableBy: readonly ClientRole[];
  /** The estimated number of rows, or null if the table has never been analyzed. */
  readonly rows: number | null;
  /** The number of full scans of the relation, and the number of scans of the relation's indexes. */
  readonly fullScans: number;
  readonly indexScans: number;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  /** The page statistics are null if the relation isn't a heap table, or if PostgreSQL has no statistics about it. */
  readonly pages: PageStatistics | null;
}

/** The statistics for estimating a table's minimum size. */
export interface PageStatistics {
  readonly pages: number;
  readonly tuples: number;
  /** The average total width of a row's values, in bytes. */
  readonly dataWidth: number;
  readonly maxNullFraction: number;
  readonly nullableColumns: number;
}

export type PolicyCommand = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | 'ALL';

export interface Policy {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  readonly command: PolicyCommand;
  readonly permissive: boolean;
  /** Role names. The name `public` represents all roles. */
  readonly roles: readonly string[];
  readonly using: string | null;
  readonly check: string | null;
  /** Those of the policy's commands that neither the policy's roles nor members of these roles may run on the table. */
  readonly commandsWithoutPrivilege: readonly string[];
}

export interface ForeignKey {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  readonly columns: readonly string[];
  readonly columnNumbers: readonly number[];
  readonly referencedSchema: string;
  /** Whether the foreign key references a unique constraint instead of the primary key. */
  readonly referencesUnique: boolean;
  readonly ownedByExtension: boolean;
}

export interface Index {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  /** The attribute numbers of the key columns, in the order of the key. The number 0 represents an expression. */
  readonly columnNumbers: readonly number[];
  readonly isUnique: boolean;
  readonly isValid: boolean;
  readonly isPartial: boolean;
  /** Whether the index belongs to a partitioned table or to a partition. */
  readonly isPartitioned: boolean;
  readonly isReplicaIdentity: boolean;
  /** Whether the index belongs to a constraint. */
  readonly ownedByConstraint: boolean;
  /**
   * The index definition without the index's name. Indexes that are identical except for their names have the same
   * value.
   */
  readonly definition: string;
  readonly scans: number;
  readonly bytes: number;
}

export interface DatabaseFunction {
  readonly schema: string;
  readonly name: string;
  /** The identity arguments, as in `pg_get_function_identity_arguments`. */
  readonly arguments: string;
  readonly kind: 'function' | 'procedure';
  readonly language: string;
  readonly extension: string | null;
  readonly securityDefiner: boolean;
  readonly isVolatile: boolean;
  readonly hasSearchPath: boolean;
  readonly isTrigger: boolean;
  readonly sourceMd5: string;
  readonly executableBy: readonly ClientRole[];
}

export interface Extension {
  readonly name: string;
  readonly schema: string;
  readonly version: string;
  readonly defaultVersion: string | null;
  /** Whether the extension created tables. Dropping the extension would delete the rows of these tables. */
  readonly ownsTables: boolean;
}

/** A view or materialized view that reads `auth.users` directly. */
export interface UsersView {
  readonly schema: string;
  readonly name: string;
}

export interface Catalog {
  /** The schemas that the REST API exposes. */
  readonly exposedSchemas: readonly string[];
  readonly relations: readonly Relation[];
  readonly policies: readonly Policy[];
  readonly foreignKeys: readonly ForeignKey[];
  readonly indexes: readonly Index[];
  readonly functions: readonly DatabaseFunction[];
  readonly extensions: readonly Extension[];
  readonly usersViews: readonly UsersView[];
  /** The roles to which policies can apply, excluding internal roles. */
  readonly policyRoles: readonly string[];
  /** The roles that bypass row-level security. */
  readonly bypassingRoles: readonly string[];
  readonly publicBuckets: readonly { readonly id: string; readonly name: string }[];
  readonly blockSize: number;
}
