import { z } from 'zod';
import { json, type RouteTable } from '../core/contract.ts';
import { personaText } from '../persona/contract.ts';

export type RoutineKind = 'function' | 'procedure' | 'aggregate' | 'window function';

export interface RoutineRow {
  /** Identifies the routine, such as `public.add(integer, integer)`. Names are quoted if necessary. */
  signature: string;
  schema: string;
  name: string;
  kind: RoutineKind;
  /** The parameters with names, modes and, if the operator's role can see them, defaults. */
  arguments: string;
  /** Null for procedures. */
  returns: string | null;
  language: string;
  security_definer: boolean;
  volatility: 'immutable' | 'stable' | 'volatile';
  /** The extension that the routine belongs to. */
  extension: string | null;
}

/** A parameter that a call passes. */
export interface RoutineParameter {
  /** Null if the parameter has no name. */
  name: string | null;
  type: string;
  /** The default as SQL, or `…` if the operator's role can't see it. Null if a call must pass the parameter. */
  default: string | null;
  variadic: boolean;
  /** Whether the parameter only returns a value. Calls of procedures pass NULL for these parameters. */
  output: boolean;
  /** Whether the type is a pseudo-type such as `anyelement`, for which no value can be entered. */
  pseudo: boolean;
}

/** A right to call the routine. */
export interface RoutineGrant {
  /** `public` means every role. */
  role: string;
  grantor: string;
  grantable: boolean;
}

/** An object that uses another one. */
export interface Dependent {
  kind:
    | 'view'
    | 'materialized view'
    | 'table'
    | 'policy'
    | 'trigger'
    | 'event trigger'
    | 'default'
    | 'check'
    | 'index'
    | 'function'
    | 'type'
    | 'other';
  /** The object's name, or PostgreSQL's description if the object has no name. */
  name: string;
  /** The table or view with the object or its schema. Null if the object isn't part of a table. */
  table: { schema: string; name: string } | null;
  /** The signature of a function. */
  signature: string | null;
}

export interface RoutineDetail extends RoutineRow {
  /** The types of the parameters that identify the routine, as in `pg_type`. */
  types: { schema: string; name: string }[];
  owner: string;
  /** Whether `postgres`, the role of all changes, has the rights of the owner. */
  may_change: boolean;
  comment: string | null;
  /**
   * Settings while the routine runs, such as `search_path=""`. The value of the project's own setting is `…` if the
   * operator's role can't see it.
   */
  settings: string[];
  parallel: 'safe' | 'restricted' | 'unsafe';
  /** The complete definition. Null if the operator's role can't see it, or if PostgreSQL doesn't print one. */
  source: string | null;
  /** Statements that drop the routine and create it again, with its grants and comment. Null like `source`. */
  recreation: string | null;
  is_source_hidden: boolean;
  parameters: RoutineParameter[];
  grants: RoutineGrant[];
  /** Objects that PostgreSQL knows to use the routine. */
  dependents: Dependent[];
  /** Functions whose source contains the routine's name. PostgreSQL doesn't record what such functions call. */
  mentions: Dependent[];
  /** Whether the routine can be tried. Triggers call trigger functions, for example. */
  can_try: boolean;
}

export interface TryColumn {
  readonly name: string;
  readonly type: string;
}

export interface TryNotice {
  readonly severity: string;
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
}

export interface TryReport {
  /** The statement that ran, with the values as parameters. */
  readonly statement: string;
  readonly role: string;
  readonly columns: readonly TryColumn[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** Whether the routine returned more rows than those in `rows`. */
  readonly more: boolean;
  /** Whether values were cut. */
  readonly is_cut: boolean;
  readonly notices: readonly TryNotice[];
  readonly ms: number;
  readonly error: {
    readonly message: string;
    readonly sqlstate: string;
    readonly detail?: string;
    readonly hint?: string;
    /** The place in the routine, as PostgreSQL's call stack. */
    readonly where?: string;
  } | null;
}

const signature = z.string().min(1).max(10_000);

const argument = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('value'), value: z.string().max(1_000_000).nullable() }).strict(),
  z.object({ kind: z.literal('default') }).strict(),
]);

const attempt = z
  .object({
    signature,
    /** The values of the parameters that a call passes, in their order. */
    arguments: z.array(argument).max(200),
    as: personaText,
  })
  .strict();

export type TryArgument = z.infer<typeof argument>;

export const contract = {
  'GET /database/functions': { response: json<{ readonly functions: readonly RoutineRow[] }>() },
  'GET /database/function': { query: z.object({ signature }), response: json<RoutineDetail>() },
  'POST /database/function/try': { body: attempt, response: json<TryReport>() },
} as const satisfies RouteTable;
