/** Defines what a GraphQL request is turned into: a response that is already known, or SQL statements. */

export interface GraphqlRequest {
  readonly query: string | null;
  /** The parsed JSON of the variables. Null and undefined mean no variables. */
  readonly variables: unknown;
  readonly operationName: string | null;
}

export interface ResponseError {
  readonly message: string;
}

/** A statement whose parameters are numbered from `$1`, with their values in PostgreSQL's text format. */
export interface Statement {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/**
 * One field of a mutation. A statement returns one row. Its first column is the field's value as JSON, which is null if
 * the column is. If there's a limit, the second column is the number of affected rows, which must not exceed it;
 * otherwise the transaction must be rolled back, and the limit's message is the error of the response.
 */
export type Step =
  | { readonly kind: 'constant'; readonly key: string; readonly json: string }
  | {
      readonly kind: 'statement';
      readonly key: string;
      readonly statement: Statement;
      readonly limit: { readonly rows: number; readonly message: string } | null;
    };

export type Plan =
  /** The JSON text of the response is known without the database. */
  | { readonly kind: 'response'; readonly json: string }
  /**
   * The statement returns one row with one column: the response's `data` as JSON. `errors` are those of the fields that
   * `data` lacks. If the statement fails, `data` is null and its error is the only one.
   */
  | { readonly kind: 'query'; readonly statement: Statement; readonly errors: readonly ResponseError[] }
  /** The steps run in order in one transaction. If one fails, `data` is null and its error is the only one. */
  | { readonly kind: 'mutation'; readonly steps: readonly Step[] };

export interface PlanOptions {
  /**
   * How statements refer to their values. `parameters`: as `$1`, `$2` and so on. `array`: as elements of the only
   * parameter, an array of text, for plpgsql's `execute ... using`.
   */
  readonly placeholders: 'parameters' | 'array';
}

/** A response without data, because the request as a whole is faulty. */
export const refusal = (message: string): Plan => ({
  kind: 'response',
  json: JSON.stringify({ errors: [{ message }] }),
});

/** Renders the response to a query from the JSON text of its data. */
export const renderQuery = (data: string, errors: readonly ResponseError[]): string =>
  errors.length === 0 ? `{"data":${data}}` : `{"data":${data},"errors":${JSON.stringify(errors)}}`;

/** Renders an object from the JSON texts of its values. */
export const renderObject = (members: readonly (readonly [key: string, json: string | null])[]): string =>
  `{${members.map(([key, json]) => `${JSON.stringify(key)}:${json ?? 'null'}`).join(',')}}`;

/** Renders the response to a mutation from the JSON texts of its steps' values. */
export const renderMutation = (values: readonly (readonly [key: string, json: string | null])[]): string =>
  `{"data":${renderObject(values)}}`;
