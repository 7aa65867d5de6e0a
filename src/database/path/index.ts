/** The one-write way of a REST request to PostgreSQL. */
export { createRequestPath, type RequestPathOptions } from './request-path.ts';
