/** The request path: the connections over which the REST service sends its requests to PostgreSQL. */
export {
  createRequestPath,
  type QueueLimits,
  type RequestPathLimits,
  type RequestPathOptions,
} from './request-path.ts';
