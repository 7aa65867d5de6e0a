/** The answer to why, as `src/console/why` gives it. */
import { queryOptions } from '@tanstack/react-query';
import { callConsole } from '../../api/session.ts';
import type { LoggedRequest } from './request.ts';
import type { Cells, Operation } from './search.ts';

export type Verdict = 'allowed' | 'hidden' | 'refused';
export type Security = 'on' | 'off' | 'superuser' | 'bypassrls' | 'owner';

export interface Question {
  readonly schema: string;
  readonly table: string;
  readonly as: string | undefined;
  readonly operation: Operation;
  readonly key: Cells;
  readonly values: Cells;
  readonly returned: readonly string[];
}

export interface Need {
  readonly kind: 'schema' | 'table' | 'columns' | 'sequence' | 'function';
  readonly name: string;
  readonly privilege: string;
  readonly held: boolean;
  readonly fix: string;
}

export interface Judged {
  readonly kind: 'and' | 'or' | 'not' | 'test';
  readonly text: string;
  readonly value: boolean | null;
  readonly error: string | null;
  readonly parts?: readonly Judged[];
  readonly operands?: readonly { readonly text: string; readonly value: string | null }[];
}

export interface JudgedPolicy {
  readonly name: string;
  readonly permissive: boolean;
  readonly command: string;
  readonly roles: readonly string[];
  readonly applies: boolean;
  readonly value: boolean | null;
  readonly error: string | null;
  readonly tree?: Judged;
  readonly functions: readonly {
    readonly name: string;
    readonly securityDefiner: boolean;
    readonly owner: string;
  }[];
}

export interface Gate {
  readonly clause: 'using' | 'check';
  readonly command: Operation;
  readonly row: 'old' | 'new';
  readonly effect: 'hides' | 'refuses';
  /** Whose policies, and for which role they are asked. */
  readonly relation: { readonly schema: string; readonly name: string };
  readonly role: string;
  readonly policies: readonly JudgedPolicy[];
  readonly passes: boolean | null;
}

export type Reason =
  | 'grant'
  | 'no-row'
  | 'not-in-view'
  | 'not-secured'
  | 'no-policy'
  | 'policy'
  | 'restrictive'
  | 'evaluation'
  | 'behind'
  | 'passes';

export interface Answer {
  readonly operation: Operation;
  readonly role: string;
  readonly persona: string;
  readonly roleExists: boolean;
  readonly needs: readonly Need[];
  readonly security: Security;
  readonly gates: readonly Gate[];
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly through: readonly {
    readonly schema: string;
    readonly name: string;
    readonly role: string;
    readonly mayRead: boolean;
    readonly security: Security;
    /** False: its policies could not be asked. */
    readonly isJudged: boolean;
    readonly depth: number;
  }[];
  readonly explanation: { readonly verdict: Verdict; readonly reason: Reason; readonly gate: number | null };
  readonly truth: {
    readonly verdict: Verdict;
    readonly sqlstate: string | null;
    readonly message: string | null;
    readonly detail: string | null;
    readonly hint: string | null;
  };
  readonly agrees: boolean;
}

export const answerQuery = (question: Question) =>
  queryOptions({
    queryKey: ['why', question],
    queryFn: ({ signal }) => callConsole<Answer>('/why', { method: 'POST', body: question, signal }),
    // A write is tried once for each question, not whenever somebody looks at the window.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });

export const pgTap = async (question: Question): Promise<string> =>
  (await callConsole<{ text: string }>('/why/pgtap', { method: 'POST', body: question })).text;

/** The request itself, of all that the log has of it. */
export async function findRequest(id: string): Promise<LoggedRequest | undefined> {
  const { entries } = await callConsole<{ entries: readonly (LoggedRequest & { kind: string })[] }>(
    `/logs/requests/${encodeURIComponent(id)}`,
  );
  return entries.find(({ kind }) => kind === 'request');
}
