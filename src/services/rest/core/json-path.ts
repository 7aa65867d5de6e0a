/**
 * Parses and runs JSONPath queries (RFC 9535) with json-p3 ([decision
 * 44](../../../docs/decisions/0044-shared-and-libraries.md)). The only supported function extension is `search`, as in
 * PostgREST 16.
 */
import { createRequire } from 'node:module';
import type * as JsonP3 from 'json-p3';

/** A JSONPath query. Returns the first value that the query selects, or undefined. */
export type JsonPath = (root: unknown) => unknown;

/**
 * The recursion limit. The claims of a token can't reach the limit, because the size of the request headers limits
 * their nesting.
 */
const maxRecursionDepth = 10_000;

const require = createRequire(import.meta.url);
let environment: JsonP3.JSONPathEnvironment | undefined;

/** Creates the JSONPath environment. The environment is created on first use because few projects configure a path. */
function createEnvironment(): JsonP3.JSONPathEnvironment {
  const { jsonpath, JSONPathEnvironment } = require('json-p3') as typeof JsonP3;
  const created = new JSONPathEnvironment({ maxRecursionDepth });
  created.functionRegister = new Map([['search', new jsonpath.functions.Search({ iRegexpCheck: false })]]);
  return created;
}

/**
 * Parses a JSONPath query. Returns undefined if the text is invalid.
 *
 * @example
 * readJsonPath('$.roles[?(@ == "author")]')?.({ roles: ['other', 'author'] }); // 'author'
 */
export function readJsonPath(text: string): JsonPath | undefined {
  environment ??= createEnvironment();
  try {
    const query = environment.compile(text);
    return (root) => query.match(root as JsonP3.JSONValue)?.value;
  } catch {
    return undefined;
  }
}
