/** The pure core of the GraphQL service: from a catalog to a schema, and from a request to SQL. */

export type { Catalog } from './catalog.ts';
export {
  type GraphqlRequest,
  type Plan,
  type PlanOptions,
  type ResponseError,
  refusal,
  renderMutation,
  renderQuery,
  type Statement,
  type Step,
} from './plan.ts';
export { Planner, plan } from './planner.ts';
export { type CatalogJson, readCatalog } from './read-catalog.ts';
export { buildSchema } from './schema/build.ts';
export type { Schema } from './schema/types.ts';
