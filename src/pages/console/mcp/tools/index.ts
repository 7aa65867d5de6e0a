/** Plinth's own tools. */
import type { McpDeps, OwnTool } from '../types.ts';
import { createBranch } from './create-branch.ts';
import { explainAccess } from './explain-access.ts';
import { explainRequest } from './explain-request.ts';
import { readInbox } from './read-inbox.ts';
import { runTestsTool } from './run-tests.ts';
import { searchDocs } from './search-docs.ts';
import { testPolicy } from './test-policy.ts';

export const ownTools = (deps: McpDeps): readonly OwnTool[] => [
  searchDocs(),
  createBranch(deps),
  explainAccess(deps),
  explainRequest(deps),
  testPolicy(deps),
  ...(deps.runTests === undefined ? [] : [readInbox(deps), runTestsTool(deps.runTests)]),
];
