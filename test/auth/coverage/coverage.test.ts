/**
 * Runs after all other tests (vitest.config.ts) and checks the recorded responses from the auth service, if all of
 * test/auth has run. To close a gap, add a test for the route or code. If this implementation can't return a code, list
 * it in docs/compatibility.md with the reason. `node scripts/auth-routes.ts` prints the whole table.
 */
import { globSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, inject, type TestContext, test } from 'vitest';
import { errorTable } from '../../../src/services/auth/index.ts';
import { startAuth } from '../harness.ts';
import { checkCodes, checkRoutes, routeTable } from './check.ts';
import { exemptCodes } from './exempt.ts';
import { readRun } from './recorded-responses.ts';
import { additionalRoutes, contractRoutes } from './routes.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(`${root}docs/compatibility.md`, 'utf8');
const { testFiles, responses } = readRun(inject('authResponses'));

/** Skips a test if only a part of the tests in test/auth ran, because the other tests cover more routes and codes. */
function requireAllTests({ skip }: TestContext): void {
  const others = globSync('test/auth/**/*.test.ts', { cwd: root })
    .map((path) => path.replaceAll(sep, '/'))
    .filter((path) => !path.startsWith('test/auth/coverage/') && !testFiles.has(path));
  skip(others.length > 0, `${others.length} files in test/auth didn't run, so the coverage is unknown`);
}

const nameless = (method: string, path: string) => `${method} ${path.replace(/:\w+|\{\w+\}/g, '{}')}`;

test('test/auth/coverage/routes.ts lists exactly the registered routes', async () => {
  const server = await startAuth();
  try {
    const registered = (await server.routes())
      .filter(({ path }) => path.startsWith('/auth/v1/'))
      .map(({ method, path }) => nameless(method, path.slice('/auth/v1'.length)));
    const listed = contractRoutes.map(({ method, path }) => nameless(method, path));
    expect(registered.toSorted()).toEqual(listed.toSorted());
  } finally {
    await server.stop();
  }
});

test('docs/compatibility.md lists exactly the routes that only Plinth has', () => {
  const [, table = ''] = /### Additional endpoints\n\n([\s\S]*?)\n\n/.exec(page) ?? [];
  const cells = [...table.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) => cell).join();
  // An endpoint with a query is a route of upstream with an additional parameter.
  const described = [...cells.matchAll(/`([A-Z]+) \/auth\/v1([^`?]*)`/g)].map(([, method = '', path = '']) =>
    nameless(method, path),
  );
  const listed = additionalRoutes.map(({ method, path }) => nameless(method, path));
  expect(described.toSorted()).toEqual(listed.toSorted());
});

test('every route has succeeded and failed in a test', (context) => {
  requireAllTests(context);
  const withGaps = checkRoutes(contractRoutes, responses).filter(({ gaps }) => gaps.length > 0);
  expect(withGaps.length, `\n${routeTable(withGaps)}\n`).toBe(0);
});

test('every error code was returned in a test, or docs/compatibility.md explains why it can’t occur', (context) => {
  requireAllTests(context);
  expect(checkCodes(Object.keys(errorTable), responses, exemptCodes(page))).toEqual({
    missing: [],
    wronglyExempt: [],
  });
});
