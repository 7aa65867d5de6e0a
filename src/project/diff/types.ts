/**
 * A comparison of two schemas.
 *
 * Glossary. *Fact*: an object, or a part of an object such as a column, in pg-delta's model. *Extra*: an object of a
 * kind that pg-delta doesn't model. *Property*: a property that pg-delta doesn't model and that a single statement
 * sets.
 */
import type { FactBase } from '@supabase/pg-delta';
import type { CatalogObject, Dependency } from '../../operations/dump/index.ts';
import type { Property } from './core/properties.ts';

/** The schema of a database at a point in time. */
export interface Snapshot {
  /** The server's version, such as 180004 for PostgreSQL 18.4. */
  readonly serverVersion: number;
  readonly facts: FactBase;
  readonly extras: Extras;
  readonly properties: readonly Property[];
  readonly virtualColumns: readonly VirtualColumn[];
  readonly scriptedMembers: readonly ScriptedMember[];
  /** For each view, a query that returns the same columns and depends only on types. */
  readonly placeholders: ReadonlyMap<string, string>;
}

export interface VirtualColumn {
  readonly schema: string;
  readonly relation: string;
  readonly column: string;
  readonly expression: string;
}

/** An object of an extension whose script sets the object's privileges. Overloaded functions have the same name. */
export interface ScriptedMember {
  readonly schema: string;
  readonly name: string;
  /** The roles that had privileges after CREATE EXTENSION, including privileges from default privileges. */
  readonly grantees: readonly string[];
}

export interface Extras {
  readonly objects: readonly CatalogObject[];
  /** The objects' comments, by object key. */
  readonly comments: ReadonlyMap<string, string>;
  readonly dependencies: readonly Dependency[];
  /** The names that {@link refOf} returns for all objects, by object key. */
  readonly refs: ReadonlyMap<string, string>;
}

export interface DiffOptions {
  /** The schemas whose objects are compared. If the list is empty, all schemas are compared. */
  readonly schemas?: readonly string[] | undefined;
  /** The role that runs the statements and owns the objects that they create. Defaults to `postgres`. */
  readonly role?: string | undefined;
  /** The version of the oldest server that runs the statements, such as 150000 for PostgreSQL 15. */
  readonly targetVersion?: number | undefined;
  /** Pairs of an object's old name and its new name. */
  readonly renames?: readonly Pick<Rename, 'from' | 'to'>[] | undefined;
}

export interface Rename {
  /** The old name, in SQL syntax. `to` is the new name. */
  readonly from: string;
  readonly to: string;
  /** The kind of the object, as an SQL keyword in lowercase, such as `table` or `column`. */
  readonly kind: string;
  /** The statement that renames the object, without a semicolon. */
  readonly statement: string;
}

export interface DiffStatement {
  /** The statement without a semicolon. */
  readonly text: string;
  /** Whether the statement can delete data. */
  readonly isDestructive: boolean;
  /** Whether earlier statements, such as ALTER TYPE ADD VALUE, must be committed before this statement. */
  readonly needsCommit: boolean;
}

export interface SchemaDiff {
  readonly statements: readonly DiffStatement[];
  /**
   * Pairs of a removed and an added object that could be the same, renamed object. The objects of each pair are
   * compared as different objects.
   */
  readonly possibleRenames: readonly Rename[];
  /**
   * Statements that attach tables to a parent as partitions or detach partitions from their parent. Without these
   * statements, the plan would drop and recreate the tables. When the statements have run, the databases must be
   * compared again.
   */
  readonly partitionMoves: readonly string[];
}
