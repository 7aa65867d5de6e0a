/**
 * Types for the `contract.ts` file of a feature. A contract is one table of routes, each with the schemas of its input
 * and the type of its response. The table provides the types for the server's handlers and for the web app's fetch
 * function (docs/decisions/0039).
 *
 * The web app imports only types. The server loads the schemas on the first call that has input, because loading zod
 * would slow down startup.
 */
import type { z } from 'zod';

declare const payload: unique symbol;

/** A JSON response. The type parameter `Payload` exists only for the compiler. */
export interface Json<Payload> {
  readonly format: 'json';
  readonly [payload]?: Payload;
}

/** A response that the handler writes itself: a file, a document or a stream. */
export interface Raw {
  readonly format: 'raw';
}

export interface RouteSpec {
  readonly query?: z.ZodType;
  /** The schema of the body. With `file`, the body is a stream of bytes, sent as `application/octet-stream`. */
  readonly body?: z.ZodType | 'file';
  readonly response: Json<unknown> | Raw;
}

/** Routes by method and path, such as `GET /storage/buckets/:bucket/object`. */
export type RouteTable = Readonly<Record<string, RouteSpec>>;

/** @example { response: json<{ readonly link: string }>() } */
export const json = <Payload>(): Json<Payload> => ({ format: 'json' });
/** A response with status 204 and no body. */
export const noContent: Json<void> = { format: 'json' };
export const raw: Raw = { format: 'raw' };

export type PayloadOf<Spec extends RouteSpec> =
  Spec['response'] extends Json<infer Payload> ? Payload : never;

/** The input as the handler receives it after parsing. */
export type Parsed<Spec extends RouteSpec, Part extends 'query' | 'body'> =
  Spec[Part] extends z.ZodType<infer Output> ? Output : never;

/** The input as the caller passes it. */
export type Given<Spec extends RouteSpec, Part extends 'query' | 'body'> = Spec[Part] extends z.ZodType
  ? Readable<z.input<Spec[Part]>>
  : never;

/** The same type, but with every field and list readonly, because callers pass readonly values. */
type Readable<Value> = Value extends object ? { readonly [Key in keyof Value]: Readable<Value[Key]> } : Value;

/** @example ParamsOf<'GET /tables/:schema/:table/rows'> // { schema: string; table: string } */
export type ParamsOf<Route extends string> = Readonly<Record<ParamName<Route>, string>>;

type ParamName<Route extends string> = Route extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<Rest>
  : Route extends `${string}:${infer Name}`
    ? Name
    : never;

/**
 * The type `Actual`, except that every field that `Expected` doesn't declare is replaced with `never`, at any depth.
 * TypeScript itself accepts additional fields in a function's return value. With this type, they are errors.
 */
export type Exact<Actual, Expected> = unknown extends Expected
  ? Actual
  : Actual extends readonly (infer Item)[]
    ? readonly Exact<Item, ItemOf<Expected>>[]
    : Actual extends object
      ? {
          [Key in keyof Actual]: Key extends KeyOf<Expected>
            ? Exact<Actual[Key], FieldOf<Expected, Key>>
            : never;
        }
      : Actual;

type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;
type KeyOf<Union> = Union extends object ? keyof Union : never;
type FieldOf<Union, Key> = Union extends object ? (Key extends keyof Union ? Union[Key] : never) : never;
