/**
 * Answers GraphQL queries about the documentation, with the names of upstream's content API, so that queries that agents
 * know work without the internet.
 */
import { buildSchema, type ExecutionResult, graphql } from 'graphql';
import { readPages } from '../../../base/shared/documents/pages.ts';
import { hrefOf, type Section, searchSections, sectionsOf } from '../../../base/shared/documents/sections.ts';

export const documentSchema = `
type Query {
  """This schema"""
  schema: String!
  """Searches the documentation. limit: at most 20, default 5"""
  searchDocs(query: String!, limit: Int): SearchResults!
}
type SearchResults { nodes: [Guide!]!, edges: [SearchResultEdge!]!, totalCount: Int! }
type SearchResultEdge { node: Guide! }
interface SearchResult { title: String, href: String, content: String }
type Guide implements SearchResult { title: String, href: String, content: String, subsections: Subsections! }
type Subsections { nodes: [Subsection!]!, totalCount: Int! }
type Subsection { title: String, href: String, content: String }
`.trim();

/** The maximum length of a section's text, in characters. */
const maxContentChars = 6000;
const maxResults = 20;
const defaultResults = 5;
const maxQueryChars = 4000;

export async function runDocumentQuery(query: string): Promise<ExecutionResult> {
  if (query.length > maxQueryChars) throw new Error(`A query can have at most ${maxQueryChars} characters.`);
  let sections: Promise<Section[]> | undefined;
  const rootValue = {
    schema: () => documentSchema,
    async searchDocs({ query: search, limit }: { query: string; limit?: number | null }) {
      sections ??= readPages().then((pages) => pages.flatMap(sectionsOf));
      return results(searchSections(await sections, search), limit ?? defaultResults);
    },
  };
  return await graphql({ schema: buildSchema(documentSchema), source: query, rootValue });
}

function results(found: readonly Section[], limit: number) {
  const nodes = found.slice(0, Math.min(Math.max(0, limit), maxResults)).map((section) => {
    const others = found.filter(({ page, anchor }) => page === section.page && anchor !== section.anchor);
    return {
      __typename: 'Guide',
      ...shown(section),
      title: section.title === section.pageTitle ? section.title : `${section.pageTitle}: ${section.title}`,
      subsections: { nodes: others.slice(0, defaultResults).map(shown), totalCount: others.length },
    };
  });
  return { nodes, edges: nodes.map((node) => ({ node })), totalCount: found.length };
}

const shown = (section: Section) => ({
  title: section.title,
  href: hrefOf(section),
  content: section.content.slice(0, maxContentChars),
});
