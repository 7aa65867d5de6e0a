/**
 * Runs after all other tests (vitest.config.ts) and checks which responses of the auth service they saw. Close a gap
 * with a test of the route or code. A code that this implementation can't return is listed in docs/compatibility.md
 * with the reason. `node scripts/auth-routes.ts` prints the whole table.
 */
import { readFileSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { errorTable } from '../../../src/auth/index.ts';
import { startAuth } from '../harness.ts';
import { checkCodes, checkRoutes, routeTable } from './check.ts';
import { exemptCodes } from './exempt.ts';
import { readResponses } from './recorded-responses.ts';
import { contractRoutes } from './routes.ts';

const responses = readResponses(inject('authResponses'));

test('the table lists what the service has registered', async () => {
  const server = await startAuth();
  try {
    const nameless = (method: string, path: string) => `${method} ${path.replace(/:\w+|\{\w+\}/g, '{}')}`;
    const registered = server
      .routes()
      .filter(({ path }) => path.startsWith('/auth/v1/'))
      .map(({ method, path }) => nameless(method, path.slice('/auth/v1'.length)));
    const listed = contractRoutes.map(({ method, path }) => nameless(method, path));
    expect(registered.toSorted()).toEqual(listed.toSorted());
  } finally {
    await server.stop();
  }
});

test('every route has been seen to succeed and to fail', () => {
  const withGaps = checkRoutes(contractRoutes, responses).filter(({ gaps }) => gaps.length > 0);
  expect(withGaps.length, `\n${routeTable(withGaps)}\n`).toBe(0);
});

test('every error code has been seen, or docs/compatibility.md says why it cannot come', () => {
  const page = readFileSync(new URL('../../../docs/compatibility.md', import.meta.url), 'utf8');
  expect(checkCodes(Object.keys(errorTable), responses, exemptCodes(page))).toEqual({
    missing: [],
    wronglyExempt: [],
  });
});
