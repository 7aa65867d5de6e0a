/** A request to REST. */
export interface Request {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/rest/v1/`, with its query. */
  readonly path: string;
  /** JSON. */
  readonly body?: string;
  /** Undefined: the first that is exposed. */
  readonly schema?: string;
}
