/** The connections over which the REST service sends its requests to PostgreSQL (the request path). */
export {
  createRequestPath,
  type QueueLimits,
  type RequestPathLimits,
  type RequestPathOptions,
} from './request-path.ts';
