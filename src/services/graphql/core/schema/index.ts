/** Builds the GraphQL schema of a catalog, and answers questions about its types. */

export { buildSchema } from './build.ts';
export * from './lookup.ts';
export type { SelectedField } from './selection.ts';
export type * from './types.ts';
