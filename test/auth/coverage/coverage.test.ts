/**
 * Runs after all other tests (vitest.config.ts) and checks the recorded responses from the auth service. To close a
 * gap, add a test for the route or code. If this implementation can't return a code, list it in docs/compatibility.md
 * with the reason. `node scripts/auth-routes.ts` prints the whole table.
 */
import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { errorTable } from '../../../src/services/auth/index.ts';
import { startAuth } from '../harness.ts';
import { checkCodes, checkRoutes, routeTable } from './check.ts';
import { exemptCodes } from './exempt.ts';
import { readResponses } from './recorded-responses.ts';
import { contractRoutes } from './routes.ts';

const responses = readResponses(inject('authResponses'));

test('the table lists exactly the registered routes', async () => {
  const server = await startAuth();
  try {
    const nameless = (method: string, path: string) => `${method} ${path.replace(/:\w+|\{\w+\}/g, '{}')}`;
    const registered = (await server.routes())
      .filter(({ path }) => path.startsWith('/auth/v1/'))
      .map(({ method, path }) => nameless(method, path.slice('/auth/v1'.length)));
    const listed = contractRoutes.map(({ method, path }) => nameless(method, path));
    expect(registered.toSorted()).toEqual(listed.toSorted());
  } finally {
    await server.stop();
  }
});

test('every route has succeeded and failed in a test', () => {
  const withGaps = checkRoutes(contractRoutes, responses).filter(({ gaps }) => gaps.length > 0);
  expect(withGaps.length, `\n${routeTable(withGaps)}\n`).toBe(0);
});

test('every error code was returned in a test, or docs/compatibility.md explains why it can’t occur', () => {
  const page = readFileSync(new URL('../../../docs/compatibility.md', import.meta.url), 'utf8');
  expect(checkCodes(Object.keys(errorTable), responses, exemptCodes(page))).toEqual({
    missing: [],
    wronglyExempt: [],
  });
});
