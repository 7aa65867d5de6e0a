/**
 * The building blocks of a feature's `contract.ts`: one table of routes, each with the schemas of its input and the type of
 * its response. The server's handlers and the web app's fetcher are typed by the same table (docs/decisions/0039).
 *
 * The web app imports types only. The server loads the schemas with the first call, because zod would slow down the start.
 */
import type { z } from 'zod';

declare const payload: unique symbol;

/** A JSON response. `Payload` exists for the compiler only. */
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
  /** `file`: the body is a stream of bytes, sent as `application/octet-stream`. */
  readonly body?: z.ZodType | 'file';
  readonly response: Json<unknown> | Raw;
}

/** Keyed by method and path, for example `GET /storage/buckets/:bucket/object`. */
export type RouteTable = Readonly<Record<string, RouteSpec>>;

/** @example { response: json<{ readonly link: string }>() } */
export const json = <Payload>(): Json<Payload> => ({ format: 'json' });
/** Status 204. */
export const noContent: Json<void> = { format: 'json' };
export const raw: Raw = { format: 'raw' };

export type PayloadOf<Spec extends RouteSpec> =
  Spec['response'] extends Json<infer Payload> ? Payload : never;

/** The parsed input as a handler reads it. */
export type Parsed<Spec extends RouteSpec, Part extends 'query' | 'body'> =
  Spec[Part] extends z.ZodType<infer Output> ? Output : never;

/** The input as a caller writes it. */
export type Given<Spec extends RouteSpec, Part extends 'query' | 'body'> = Spec[Part] extends z.ZodType
  ? Readable<z.input<Spec[Part]>>
  : never;

/** The same type with every field and list readonly, because callers pass readonly values. */
type Readable<Value> = Value extends object ? { readonly [Key in keyof Value]: Readable<Value[Key]> } : Value;

/** @example ParamsOf<'GET /tables/:schema/:table/rows'> // { schema: string; table: string } */
export type ParamsOf<Route extends string> = Readonly<Record<ParamName<Route>, string>>;

type ParamName<Route extends string> = Route extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<Rest>
  : Route extends `${string}:${infer Name}`
    ? Name
    : never;

/**
 * `Actual` with every field that `Expected` doesn't declare replaced by `never`, at any depth. TypeScript accepts extra
 * fields in the return value of a function; with this type they are errors.
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
