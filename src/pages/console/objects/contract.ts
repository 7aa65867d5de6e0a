import { z } from 'zod';
import { json, type RouteTable } from '../core/contract.ts';
import { identifier } from '../core/identifier.ts';

/** A domain, a composite type or a range type. Enums are returned by `GET /enums`. */
export interface TypeRow {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'domain' | 'composite' | 'range';
  readonly owner: string;
  readonly comment: string | null;
  /** The type that a domain or a range is based on, in the format of `format_type`. */
  readonly base: string | null;
  readonly notNull: boolean;
  readonly default: string | null;
  readonly checks: readonly { readonly name: string; readonly definition: string }[];
  readonly attributes: readonly { readonly name: string; readonly type: string }[];
  /** The columns that have this type, or arrays of it. */
  readonly columns: readonly { readonly schema: string; readonly table: string; readonly column: string }[];
  readonly editable: boolean;
}

/** Numbers are strings of digits, because JavaScript's numbers can't represent every `bigint`. */
export interface SequenceRow {
  readonly schema: string;
  readonly name: string;
  readonly type: string;
  readonly owner: string;
  /** The column whose default or identity uses the sequence. */
  readonly column: { readonly schema: string; readonly table: string; readonly column: string } | null;
  /** Whether the sequence belongs to an identity column, so that it can only be dropped with the identity. */
  readonly identity: boolean;
  readonly start: string;
  readonly min: string;
  readonly max: string;
  readonly increment: string;
  readonly cycle: boolean;
  /** Null if the sequence hasn't been used, or if the values can't be read. */
  readonly last: string | null;
  /**
   * The share of the values that are used, between 0 and 1, with respect to the range of the column's type. Null if no
   * value has been used.
   */
  readonly used: number | null;
  /** The type that limits the values, which can be the type of the column. */
  readonly limit: string;
  readonly editable: boolean;
}

export interface PublishedTable {
  readonly schema: string;
  readonly name: string;
  /** The published columns. Null if all columns are published. */
  readonly columns: readonly string[] | null;
  /** The condition that selects the published rows. */
  readonly where: string | null;
  readonly identity: 'default' | 'full' | 'nothing' | 'index';
  readonly hasPrimaryKey: boolean;
  readonly rls: boolean;
}

export interface PublicationRow {
  readonly name: string;
  readonly owner: string;
  /** Whether the publication includes all tables, in which case its tables can't be chosen. */
  readonly allTables: boolean;
  /** The schemas whose tables are all included. */
  readonly schemas: readonly string[];
  readonly operations: readonly ('insert' | 'update' | 'delete' | 'truncate')[];
  readonly tables: readonly PublishedTable[];
  readonly editable: boolean;
}

export interface EventTriggerRow {
  readonly name: string;
  readonly event: string;
  readonly tags: readonly string[];
  readonly function: { readonly schema: string; readonly name: string };
  readonly enabled: 'on' | 'off' | 'replica' | 'always';
  readonly owner: string;
  /** The extension that the trigger belongs to. */
  readonly extension: string | null;
  readonly editable: boolean;
  readonly comment: string | null;
}

/** An option of a wrapper, a server, a user mapping or a foreign table. */
export interface ForeignOption {
  readonly name: string;
  /** Null if the value could be a secret, so that it isn't shown. */
  readonly value: string | null;
}

export interface ForeignServerRow {
  readonly name: string;
  readonly wrapper: string;
  readonly owner: string;
  readonly options: readonly ForeignOption[];
  readonly mappings: readonly {
    /** The local role. `public` means every role without its own mapping. */
    readonly role: string;
    /** Null if PostgreSQL doesn't show them to `postgres`, which is so for other roles' mappings. */
    readonly options: readonly ForeignOption[] | null;
  }[];
  readonly tables: readonly {
    readonly schema: string;
    readonly name: string;
    readonly options: readonly ForeignOption[];
  }[];
  readonly editable: boolean;
}

/** The migration parser recognizes these statements only with simple names (`project/folder/core/privileged.ts`). */
const simpleName = identifier.refine((text) => !text.includes('"'), {
  message: 'can’t contain a double quotation mark',
});

const newEventTrigger = z
  .object({
    name: simpleName,
    event: z.enum(['ddl_command_start', 'ddl_command_end', 'sql_drop', 'table_rewrite', 'login']),
    /** The commands that run the trigger. An empty list means all commands. */
    tags: z
      .array(z.string().regex(/^[A-Z][A-Z ]{0,60}$/, 'must be a command, such as CREATE TABLE'))
      .max(100),
    function: z.object({ schema: simpleName, name: simpleName }).strict(),
    migration: z
      .string()
      .regex(/^[a-z0-9_]{1,100}$/, 'can contain only lowercase letters, numbers and underscores'),
  })
  .strict();
export type NewEventTrigger = Readonly<z.output<typeof newEventTrigger>>;

export const contract = {
  'GET /types': { response: json<{ readonly types: readonly TypeRow[] }>() },
  'GET /sequences': { response: json<{ readonly sequences: readonly SequenceRow[] }>() },
  'GET /publications': {
    response: json<{
      readonly publications: readonly PublicationRow[];
      /** The tables that operators can add to a publication, because they can act as their owner. */
      readonly tables: readonly { readonly schema: string; readonly name: string }[];
    }>(),
  },
  'GET /event-triggers': {
    response: json<{
      readonly triggers: readonly EventTriggerRow[];
      /** The functions that an event trigger can call. */
      readonly functions: readonly { readonly schema: string; readonly name: string }[];
      /** Whether event triggers of the project run on this server. They never run in production. */
      readonly run: boolean;
    }>(),
  },
  /** Creates an event trigger by a new migration, because PostgreSQL allows it only for superusers otherwise. */
  'POST /event-triggers': {
    body: newEventTrigger,
    response: json<{ readonly file: string | null }>(),
  },
  'GET /foreign-servers': {
    response: json<{
      readonly servers: readonly ForeignServerRow[];
      /** The wrappers that the project can use. */
      readonly wrappers: readonly string[];
      readonly roles: readonly string[];
    }>(),
  },
} as const satisfies RouteTable;
