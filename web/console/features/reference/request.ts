/** A request to REST. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** The path below `/rest/v1/`, with its query. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
  /** Undefined for the first exposed schema. */
  readonly schema?: string;
}
