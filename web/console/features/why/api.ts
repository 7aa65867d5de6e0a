/** The explanation's types and API calls (`src/console/why`). */
import { queryOptions } from '@tanstack/react-query';
import type { Body } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';
import type { LoggedRequest } from './request.ts';

export type {
  Answer,
  Gate,
  JudgedExpression as Judged,
  JudgedPolicy,
  Need,
  Reason,
  Security,
  Verdict,
} from '../../../../src/console/why/contract.ts';

export type Question = Required<Omit<Body<'POST /why'>, 'as'>> & Pick<Body<'POST /why'>, 'as'>;

export const answerQuery = (question: Question) =>
  queryOptions({
    queryKey: ['why', question],
    queryFn: ({ signal }) => fetchConsole('POST /why', { body: question, signal }),
    // A write is tried once per question, not whenever the window gets the focus.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });

export const pgTap = async (question: Question): Promise<string> =>
  (await fetchConsole('POST /why/pgtap', { body: question })).text;

/** Returns the log entry of the request itself. */
export async function findRequest(id: string): Promise<LoggedRequest | undefined> {
  const { entries } = await fetchConsole('GET /logs/requests/:id', { params: { id } });
  return entries.find(({ kind }) => kind === 'request');
}
