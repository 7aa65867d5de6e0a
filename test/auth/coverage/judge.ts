/**
 * Computes coverage from a run's responses: each route needs a success and a failure, and each error code needs a
 * response.
 */
import { secretKeyRefusal } from '../../../src/gateway/secret-keys.ts';
import type { Answer } from './answers.ts';
import type { RouteEntry } from './routes.ts';

export interface RouteCoverage {
  readonly route: RouteEntry;
  /** The statuses and codes seen, for example `200`, `422 weak_password`. */
  readonly successes: readonly string[];
  readonly failures: readonly string[];
  /** The test files that called the route. */
  readonly files: readonly string[];
  /** The missing responses. Empty if there are none. */
  readonly gaps: readonly string[];
}

/** The gateway's error responses are sent before any route. */
const isOfGateway = ({ code }: Answer): boolean => code === secretKeyRefusal.body.code;

/** @example judgeRoutes(routes, [{ method: 'GET', path: '/health', status: 200, … }])[0].gaps // [] */
export function judgeRoutes(routes: readonly RouteEntry[], answers: readonly Answer[]): RouteCoverage[] {
  const byRoute = new Map<RouteEntry, Answer[]>();
  // A fixed path takes precedence over a pattern: /admin/users/{id} must not match /admin/users/me.
  const byExactness = [...routes].sort((a, b) => variablesOf(a) - variablesOf(b));
  for (const answer of answers.filter((each) => !isOfGateway(each))) {
    const route = byExactness.find(
      (entry) => entry.method === answer.method && fits(entry.path, answer.path),
    );
    if (route) byRoute.set(route, [...(byRoute.get(route) ?? []), answer]);
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

function distinct(answers: readonly Answer[]): string[] {
  const texts = answers.map(({ status, code }) => (code === '' ? String(status) : `${status} ${code}`));
  return [...new Set(texts)].sort();
}

/**
 * Returns table codes that no response contained and that aren't excused, and excused codes that were returned after
 * all.
 */
export function judgeCodes(
  codes: readonly string[],
  answers: readonly Answer[],
  excused: ReadonlySet<string>,
): { readonly missing: readonly string[]; readonly wronglyExcused: readonly string[] } {
  const seen = new Set(answers.map(({ code }) => code));
  return {
    missing: codes.filter((code) => !seen.has(code) && !excused.has(code)),
    wronglyExcused: [...excused].filter((code) => seen.has(code) || !codes.includes(code)),
  };
}

/** Returns a readable table as lines of text. */
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
