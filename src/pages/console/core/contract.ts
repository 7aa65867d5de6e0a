/**
 * Types for a feature's `contract.ts` file. A contract is a table of routes with the schemas of their inputs and the
 * types of their responses. The types of the server's handlers and the web app's fetch function are derived from the
 * contract (docs/decisions/0039).
 *
 * The web app imports only types. The server loads the schemas when a route with input is first called, because loading
 * zod at startup would take too long.
 */
import type { z } from 'zod';

declare const payload: unique symbol;

/** A JSON response. The type parameter `Payload` is used only for type checking. */
export interface Json<Payload> {
  readonly format: 'json';
  readonly [payload]?: Payload;
}

/** A response that the handler writes directly: a file, a document or a stream. */
export interface Raw {
  readonly format: 'raw';
}

export interface RouteSpec {
  readonly query?: z.ZodType;
  /** The body's schema. `file` means that the body is a byte stream sent as `application/octet-stream`. */
  readonly body?: z.ZodType | 'file';
  readonly response: Json<unknown> | Raw;
}

/** Routes by method and path, such as `GET /storage/buckets/:bucket/object`. */
export type RouteTable = Readonly<Record<string, RouteSpec>>;

/**
 * Declares a JSON response.
 *
 * @example { response: json<{ readonly link: string }>() }
 */
export const json = <Payload>(): Json<Payload> => ({ format: 'json' });
/** A response with status 204 and no body. */
export const noContent: Json<void> = { format: 'json' };
export const raw: Raw = { format: 'raw' };

export type PayloadOf<Spec extends RouteSpec> =
  Spec['response'] extends Json<infer Payload> ? Payload : never;

/** The type of the input after it is parsed, as passed to the handler. */
export type Parsed<Spec extends RouteSpec, Part extends 'query' | 'body'> =
  Spec[Part] extends z.ZodType<infer Output> ? Output : never;

/** The type of the input that the caller passes. */
export type Given<Spec extends RouteSpec, Part extends 'query' | 'body'> = Spec[Part] extends z.ZodType
  ? Readable<z.input<Spec[Part]>>
  : never;

/** Makes every field and list readonly, because callers pass readonly values. */
type Readable<Value> = Value extends object ? { readonly [Key in keyof Value]: Readable<Value[Key]> } : Value;

/**
 * The parameters in a route's path.
 *
 * @example ParamsOf<'GET /tables/:schema/:table/rows'> // { schema: string; table: string }
 */
export type ParamsOf<Route extends string> = Readonly<Record<ParamName<Route>, string>>;

type ParamName<Route extends string> = Route extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<Rest>
  : Route extends `${string}:${infer Name}`
    ? Name
    : never;

/**
 * Fields of `Actual` that `Expected` doesn't declare, at any depth, get the type `never`. Without this type, TypeScript
 * would accept additional fields in a function's return value.
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
