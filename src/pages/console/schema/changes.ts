/**
 * Types for schema changes. `contract.ts` parses schema changes, and `core/compile.ts` converts them to SQL.
 *
 * Glossary. *Expression*: SQL text written by the operator, such as a default or a check. `core/expression.ts` checks
 * that the text is a single expression. The text is always enclosed in parentheses. All other parts of a change are
 * quoted names or values.
 */

import type { AccessChange } from './access-changes.ts';
import type { DefinitionChange } from './definition-changes.ts';
import type { ObjectChange } from './object-changes.ts';
import type { TypeRef } from './type-ref.ts';

export type { TypeRef };

export type ReferenceAction = 'no action' | 'restrict' | 'cascade' | 'set null' | 'set default';

export interface Reference {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly onDelete?: ReferenceAction | undefined;
  readonly onUpdate?: ReferenceAction | undefined;
}

export type IdentityKind = 'always' | 'by default';

export interface ColumnDefinition {
  readonly name: string;
  readonly type: TypeRef;
  readonly nullable: boolean;
  /** A SQL expression. */
  readonly default?: string | undefined;
  readonly identity?: IdentityKind | undefined;
  /** A SQL expression that uses other columns and is evaluated when a row is written. */
  readonly generated?: string | undefined;
  readonly unique?: boolean | undefined;
  /** A SQL expression. */
  readonly check?: string | undefined;
  readonly references?: Reference | undefined;
  readonly comment?: string | undefined;
}

export type ConstraintDefinition =
  | { readonly kind: 'primary key'; readonly columns: readonly string[] }
  | {
      readonly kind: 'unique';
      readonly columns: readonly string[];
      readonly nullsNotDistinct?: boolean | undefined;
    }
  | { readonly kind: 'check'; readonly expression: string }
  | {
      readonly kind: 'foreign key';
      readonly columns: readonly string[];
      readonly references: Reference;
      readonly deferrable?: boolean | undefined;
    };

export interface IndexPart {
  /** A part of an index has either a `column` or an `expression`. */
  readonly column?: string | undefined;
  readonly expression?: string | undefined;
  readonly operatorClass?: string | undefined;
  readonly descending?: boolean | undefined;
}

/** The methods of PostgreSQL and of pgvector. */
export type IndexMethod = 'btree' | 'hash' | 'gin' | 'gist' | 'brin' | 'spgist' | 'hnsw' | 'ivfflat';
export type TriggerEvent = 'insert' | 'update' | 'delete' | 'truncate';

interface OfTable {
  readonly schema: string;
  readonly table: string;
}

interface OfEnum {
  readonly schema: string;
  readonly name: string;
}

export type TableChange = OfTable &
  (
    | {
        readonly kind: 'create_table';
        readonly columns: readonly ColumnDefinition[];
        readonly constraints: readonly (ConstraintDefinition & { readonly name?: string | undefined })[];
        readonly rls: boolean;
        readonly comment?: string | undefined;
      }
    | { readonly kind: 'rename_table'; readonly name: string }
    | { readonly kind: 'comment_table'; readonly comment: string | null }
    | { readonly kind: 'drop_table'; readonly cascade: boolean }
    | { readonly kind: 'set_rls'; readonly enabled: boolean }
    /** Which old values a publication includes in updates and deletes: those of the primary key, or all. */
    | { readonly kind: 'replica_identity'; readonly identity: 'default' | 'full' }
    | { readonly kind: 'add_column'; readonly column: ColumnDefinition }
    | {
        readonly kind: 'alter_column';
        readonly column: string;
        readonly name?: string | undefined;
        readonly type?: { readonly to: TypeRef; readonly using?: string | undefined } | undefined;
        readonly nullable?: boolean | undefined;
        /** The new default, as a SQL expression. Null removes the default. */
        readonly default?: string | null | undefined;
        readonly identity?:
          | { readonly action: 'add' | 'set'; readonly as: IdentityKind }
          | { readonly action: 'drop' }
          | undefined;
        readonly comment?: string | null | undefined;
      }
    | { readonly kind: 'drop_column'; readonly column: string; readonly cascade: boolean }
    | {
        readonly kind: 'add_constraint';
        readonly name?: string | undefined;
        readonly constraint: ConstraintDefinition;
      }
    | { readonly kind: 'drop_constraint'; readonly name: string; readonly cascade: boolean }
    | {
        readonly kind: 'create_index';
        readonly name?: string | undefined;
        readonly method: IndexMethod;
        readonly unique: boolean;
        readonly parts: readonly IndexPart[];
        readonly include?: readonly string[] | undefined;
        /** A SQL expression that selects the rows of a partial index. */
        readonly where?: string | undefined;
        /** Builds the index without blocking writes. Such a change is applied alone, and requires a name. */
        readonly concurrently?: boolean | undefined;
      }
    | { readonly kind: 'drop_index'; readonly name: string }
    | {
        readonly kind: 'create_trigger';
        readonly name: string;
        readonly timing: 'before' | 'after' | 'instead of';
        readonly events: readonly TriggerEvent[];
        readonly columns?: readonly string[] | undefined;
        readonly forEach: 'row' | 'statement';
        /** A SQL expression that can refer to OLD and NEW. */
        readonly when?: string | undefined;
        readonly function: { readonly schema: string; readonly name: string };
        readonly arguments?: readonly string[] | undefined;
      }
    | { readonly kind: 'drop_trigger'; readonly name: string }
    | { readonly kind: 'set_trigger'; readonly name: string; readonly enabled: boolean }
  );

export type ExtensionChange =
  | {
      readonly kind: 'create_extension';
      readonly extension: string;
      /** The schema, which is created if it doesn't exist. Undefined if the extension requires its own schema. */
      readonly schema?: string | undefined;
      /** Whether the extensions that it requires are installed too. */
      readonly cascade: boolean;
    }
  | { readonly kind: 'update_extension'; readonly extension: string }
  /** With `cascade`, deletes the columns, indexes and other objects that use the extension. */
  | { readonly kind: 'drop_extension'; readonly extension: string; readonly cascade: boolean };

export type SchemaChange =
  | { readonly kind: 'create_schema'; readonly name: string }
  | (OfEnum & { readonly kind: 'create_enum'; readonly values: readonly string[] })
  | (OfEnum & {
      readonly kind: 'add_enum_value';
      readonly value: string;
      readonly before?: string | undefined;
    })
  | (OfEnum & { readonly kind: 'rename_enum_value'; readonly value: string; readonly to: string })
  | (OfEnum & { readonly kind: 'rename_enum'; readonly to: string })
  | (OfEnum & { readonly kind: 'drop_enum' })
  | ExtensionChange
  | AccessChange
  | DefinitionChange
  | ObjectChange
  | TableChange;

export const isExtensionChange = (change: SchemaChange): change is ExtensionChange => 'extension' in change;

export const isTableChange = (change: SchemaChange): change is TableChange => 'table' in change;
