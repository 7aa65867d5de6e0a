/** Interface text for the GraphQL page, as ICU messages. */
export const messages = {
  'graphql.title': 'GraphQL',
  'graphql.loading': 'Loading the editor…',
  'graphql.off-title': 'GraphQL is off',
  'graphql.off-text': 'Create the extension pg_graphql, for example in a migration:',
  'graphql.hidden-title': 'GraphQL isn’t exposed',
  'graphql.hidden-text': 'Add graphql_public to the exposed schemas in the API settings.',
  'graphql.settings': 'Open API settings',
  'graphql.sql': 'Open SQL editor',
  'graphql.complete': 'Complete: Ctrl-Space',
  'graphql.run': 'Run: Ctrl-Enter',
  'graphql.statement': 'SQL statement',
  'graphql.no-introspection':
    'Introspection is off, so the editor can’t show or complete fields. Turn it on during development:',
  'graphql.read-only': 'Your role is read-only, so mutations fail.',
} as const;
