import { queryOptions } from '@tanstack/react-query';
import type { Body } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';
import type { LoggedRequest } from './request.ts';

export type {
  AccessReport,
  AccessResult,
  EvaluatedCall,
  EvaluatedExpression as Judged,
  EvaluatedPolicy,
  EvaluatedRows,
  Everyone,
  Gate,
  Need,
  Operand,
  Reason,
  Security,
  UserAccess,
} from '../../../../src/pages/console/why/contract.ts';

export type Question = Required<Omit<Body<'POST /why'>, 'as'>> & Pick<Body<'POST /why'>, 'as'>;

export const reportQuery = (question: Question) =>
  queryOptions({
    queryKey: ['why', question],
    queryFn: ({ signal }) => fetchConsole('POST /why', { body: question, signal }),
    // For a question about a write, the statement is run only once. The statement must not run again when the window
    // receives focus.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });

export const everyoneWithAccess = ({ schema, table, key }: Question) =>
  fetchConsole('POST /why/everyone', { body: { schema, table, key } });

export const pgTap = async (question: Question): Promise<string> =>
  (await fetchConsole('POST /why/pgtap', { body: question })).text;

/** Fetches the log entry for the request with this ID. */
export async function findRequest(id: string): Promise<LoggedRequest | undefined> {
  const { entries } = await fetchConsole('GET /logs/requests/:id', { params: { id } });
  return entries.find(({ kind }) => kind === 'request');
}
