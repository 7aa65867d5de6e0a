/** The settings of the GraphQL service. */
import type { Config } from '../../platform/config/index.ts';
import type { Limits } from './core/limits.ts';

export interface Settings {
  readonly withoutExtension: boolean;
  readonly timeoutMs: number;
  readonly limits: Limits;
}

export const settingsFromConfig = ({ plinth: { graphql } }: Config): Settings => ({
  withoutExtension: graphql.without_extension,
  timeoutMs: graphql.timeout,
  limits: {
    depth: graphql.max_depth,
    complexity: graphql.max_complexity,
    aliases: graphql.max_aliases,
    queryBytes: graphql.max_query,
    variablesBytes: graphql.max_variables,
  },
});
