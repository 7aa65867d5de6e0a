/** Searches Plinth's documentation, with the name and the input of upstream's tool. */
import { z } from 'zod';
import { documentSchema, runDocumentQuery } from '../documents.ts';
import { ownTool } from '../types.ts';

export const searchDocs = () =>
  ownTool({
    name: 'search_docs',
    title: 'Search docs',
    description: `Searches the documentation of Plinth with GraphQL. Plinth is compatible with Supabase, and these pages list every difference, setting and command.\n\nThe schema:\n${documentSchema}`,
    feature: 'docs',
    requires: 'read',
    changes: false,
    onBranches: true,
    input: z.object({ graphql_query: z.string().max(4000).describe('GraphQL query string') }),
    async run({ graphql_query: query }) {
      const { data, errors } = await runDocumentQuery(query);
      if (errors !== undefined) throw new Error(errors.map(({ message }) => message).join('\n'));
      return { trusted: data };
    },
  });
