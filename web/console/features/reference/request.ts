/** A request to the REST service. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The part of the URL after `/rest/v1/`, including the query. */
  readonly path: string;
  /** The request body as JSON text. */
  readonly body?: string;
  /** The schema to select in the request. Undefined for the default schema. */
  readonly schema?: string;
}
