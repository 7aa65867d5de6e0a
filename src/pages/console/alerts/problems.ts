/** Collects the problems for alerts. */
import type { Problem } from '../home/contract.ts';
import { type ProblemDeps, problemsOf } from '../home/problems.ts';

const rangeMs = 10 * 60_000;
const minFailed = 5;
const minShare = 0.01;

/**
 * Returns the problems of the home page, with server errors only if they are frequent. The home page also shows a single
 * error in the last hour.
 */
export async function alertProblems(deps: ProblemDeps): Promise<Problem[]> {
  const [problems, { services }] = await Promise.all([problemsOf(deps), deps.metrics(rangeMs)]);
  const frequent = services
    .filter(({ service, total }) => service !== 'console' && isFrequent(total))
    .map(
      ({ service, total }): Problem => ({
        ...{ kind: 'server-errors', severity: 'error', service, count: total.failed },
      }),
    );
  return [...problems.filter(({ kind }) => kind !== 'server-errors'), ...frequent];
}

const isFrequent = ({ failed, requests }: { readonly failed: number; readonly requests: number }): boolean =>
  failed >= minFailed && failed >= requests * minShare;
