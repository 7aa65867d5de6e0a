/**
 * The types of a migration, which moves a whole project between two servers.
 *
 * Glossary. *End*: the source or the target, each of which is a database and optionally a storage API. *Note*: an item
 * that isn't migrated, or an action that the operator must take. *Delta*: the rows in a table that are new, changed or
 * deleted.
 */

import type { ProjectPlan } from '../../operations/dump/index.ts';
import type { CopySession } from '../../platform/database/index.ts';

export interface EndOptions {
  /** The end's name in messages, such as `the source`. */
  readonly name: string;
  readonly databaseUrl: string;
  /** The database password, if the URL doesn't contain it. */
  readonly password?: string | undefined;
  readonly storage?: StorageAccess | undefined;
}

export interface TransferOptions {
  readonly source: EndOptions;
  readonly target: EndOptions;
  /** Whether to activate the target's cron jobs that are active on the source. */
  readonly startJobs: boolean;
  /** Whether to skip definitions that can't be created. */
  readonly keepGoing: boolean;
  /** Whether to delete target rows that the source doesn't have, even if an earlier run didn't create them. */
  readonly overwrite: boolean;
  /** The number of objects that are transferred at the same time. */
  readonly parallel: number;
  readonly onProgress: (message: string) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface StorageAccess {
  /** The project's address, such as `https://abc.supabase.co`. */
  readonly projectUrl: string;
  /** The service role's key or a secret key. */
  readonly serviceKey: string;
}

/** An end with an open session. */
export interface End {
  readonly name: string;
  readonly session: CopySession;
  readonly storage: StorageAccess | undefined;
  readonly facts: EndFacts;
}

export interface EndFacts {
  readonly user: string;
  readonly isSuperuser: boolean;
  /** Whether the account can turn off triggers and foreign keys in a session. */
  readonly canReplicate: boolean;
  readonly extensions: ReadonlySet<string>;
  readonly availableExtensions: ReadonlySet<string>;
}

export interface Report {
  /** Whether everything that can be migrated has been migrated. */
  readonly complete: boolean;
  /** The number of created definitions. */
  readonly definitions: number;
  readonly tables: readonly TableReport[];
  readonly sequences: number;
  readonly largeObjects: number;
  readonly secrets: Changes;
  readonly jobs: Changes & { readonly paused: number };
  readonly objects: ObjectsReport | undefined;
  readonly functions: readonly string[];
  readonly notes: readonly string[];
}

export interface Changes {
  readonly added: number;
  readonly changed: number;
  readonly deleted: number;
}

export interface TableReport extends Changes {
  readonly table: string;
  /** Whether all rows were replaced because the table doesn't have a primary key. */
  readonly replaced: boolean;
}

export interface ObjectsReport extends Changes {
  readonly bytes: number;
  /** The number of objects for which only the row was updated. */
  readonly updated: number;
}

/** The contents of both databases. */
export interface Plans {
  readonly source: ProjectPlan;
  readonly target: ProjectPlan;
}
