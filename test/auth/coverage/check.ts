/**
 * Computes which routes and error codes a test run covers. A run must record a success and a failure for each route,
 * and a response with each error code.
 */
import { secretKeyRejection } from '../../../src/server/gateway/secret-keys.ts';
import type { RecordedResponse } from './recorded-responses.ts';
import type { RouteEntry } from './routes.ts';

export interface RouteCoverage {
  readonly route: RouteEntry;
  /** The statuses and codes of the recorded responses, such as `200` or `422 weak_password`. */
  readonly successes: readonly string[];
  readonly failures: readonly string[];
  /** The test files that called the route. */
  readonly files: readonly string[];
  /** The missing responses, if any. */
  readonly gaps: readonly string[];
}

/**
 * Whether the error response doesn't depend on the route, because the gateway rejected the request or the server is
 * overloaded.
 */
const isOfServer = ({ code, status }: RecordedResponse): boolean =>
  code === secretKeyRejection.body.code || status === 503;

/**
 * Returns the coverage of each route.
 * @example checkRoutes(routes, [{ method: 'GET', path: '/health', status: 200, … }])[0].gaps // []
 */
export function checkRoutes(
  routes: readonly RouteEntry[],
  responses: readonly RecordedResponse[],
): RouteCoverage[] {
  const byRoute = new Map<RouteEntry, RecordedResponse[]>();
  // A fixed path takes precedence over a pattern, so /admin/users/me doesn't count for /admin/users/{id}.
  const byExactness = [...routes].sort((a, b) => variablesOf(a) - variablesOf(b));
  for (const response of responses.filter((each) => !isOfServer(each))) {
    const route = byExactness.find(
      (entry) => entry.method === response.method && fits(entry.path, response.path),
    );
    if (route) byRoute.set(route, [...(byRoute.get(route) ?? []), response]);
  }
  return routes.map((route) => {
    const own = byRoute.get(route) ?? [];
    const successes = distinct(own.filter(({ isError }) => !isError));
    const failures = distinct(own.filter(({ isError }) => isError));
    const gaps = [
      ...gap('success', successes, route.noSuccess),
      ...gap('failure', failures, route.noFailure),
    ];
    const files = [...new Set(own.map(({ file }) => file))].sort();
    return { route, successes, failures, files, gaps };
  });
}

function gap(kind: string, seen: readonly string[], impossible: string | undefined): string[] {
  if (impossible === undefined) return seen.length > 0 ? [] : [`no ${kind}`];
  return seen.length > 0 ? [`a ${kind} (${seen[0]}) that the table calls impossible`] : [];
}

const variablesOf = ({ path }: RouteEntry): number => path.split('{').length;

function fits(pattern: string, path: string): boolean {
  const [wanted, given] = [pattern.split('/'), path.split('/')];
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith('{') ? given[index] !== '' : part === given[index]))
  );
}

function distinct(responses: readonly RecordedResponse[]): string[] {
  const texts = responses.map(({ status, code }) => (code === '' ? String(status) : `${status} ${code}`));
  return [...new Set(texts)].sort();
}

/** Returns the codes that were never returned although they aren't exempt, and the exempt codes that were returned. */
export function checkCodes(
  codes: readonly string[],
  responses: readonly RecordedResponse[],
  exempt: ReadonlySet<string>,
): { readonly missing: readonly string[]; readonly wronglyExempt: readonly string[] } {
  const seen = new Set(responses.map(({ code }) => code));
  return {
    missing: codes.filter((code) => !seen.has(code) && !exempt.has(code)),
    wronglyExempt: [...exempt].filter((code) => seen.has(code) || !codes.includes(code)),
  };
}

/** Returns the coverage as a readable table in plain text. */
export function routeTable(coverage: readonly RouteCoverage[]): string {
  return coverage
    .map(({ route, successes, failures, files, gaps }) => {
      const reason = [route.noSuccess, route.noFailure].filter((text) => text !== undefined);
      const mark = gaps.length > 0 ? `GAP: ${gaps.join(', ')}` : ['ok', ...reason].join(', ');
      const lines = [
        `${route.method} ${route.path}`,
        mark,
        [...successes, ...failures].join(', '),
        files.join(' '),
      ];
      return lines.filter((line) => line !== '').join('\n    ');
    })
    .join('\n');
}
