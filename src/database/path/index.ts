/** The request path of REST. */
export { createRequestPath, type PathLoad, type RequestPathOptions } from './request-path.ts';
