/** What the realtime page reads, and its part of the address. */
import { queryOptions } from '@tanstack/react-query';
import { callConsole } from '../../api/session.ts';
import { type AsSearch, validateAs } from '../../components/persona.ts';

export interface RealtimeFacts {
  /** Of the realtime service. */
  readonly url: string;
  /** The publishable key: the socket is opened with it. */
  readonly apikey: string;
  /** Those of the publication. */
  readonly tables: readonly { readonly schema: string; readonly table: string }[];
}

export type CheckCode =
  | 'table-missing'
  | 'not-published'
  | 'no-grant'
  | 'rls-off'
  | 'no-policy'
  | 'policies-decide'
  | 'no-key'
  | 'nothing-published'
  | 'public-channel'
  | 'private-no-read'
  | 'private-no-write'
  | 'private-policies-decide';

export interface Check {
  readonly code: CheckCode;
  readonly weight: 'stops' | 'limits' | 'fine';
  readonly policies?: number;
}

export interface Checks {
  readonly role: string;
  readonly topic: readonly Check[];
  readonly table: readonly Check[];
}

/** Why something arrives, or does not: `src/realtime/types.ts` has the steps. */
export interface Verdict {
  readonly persona: string;
  readonly role: string;
  readonly delivered: boolean;
  readonly steps: readonly {
    readonly step: string;
    readonly outcome: 'passes' | 'stops' | 'alters' | 'not asked';
    readonly code: string;
    readonly says: string;
  }[];
  /** What arrives, of a change. */
  readonly dataJson?: string;
}

export const askVerdict = (of: 'change' | 'broadcast', body: object) =>
  callConsole<Verdict>(`/realtime/verdict/${of}`, { method: 'POST', body });

export interface RealtimeSearch extends AsSearch {
  readonly topic?: string;
  readonly private?: boolean;
  /** `schema.table`, or `schema.*`. */
  readonly table?: string;
}

export function validateRealtimeSearch(search: Record<string, unknown>): RealtimeSearch {
  const { topic, table } = search;
  return {
    ...(typeof topic === 'string' && topic !== '' ? { topic } : {}),
    ...(search.private === true ? { private: true } : {}),
    ...(typeof table === 'string' && /^.+\..+$/s.test(table) ? { table } : {}),
    ...validateAs(search),
  };
}

export const realtimeQuery = queryOptions({
  queryKey: ['realtime'],
  queryFn: ({ signal }) => callConsole<RealtimeFacts>('/realtime', { signal }),
});

/** Schema and table of {@link RealtimeSearch.table}. */
export function splitTable(name: string | undefined): { schema: string; table: string } | undefined {
  const [, schema, table] = /^([^.]+)\.(.+)$/s.exec(name ?? '') ?? [];
  return schema === undefined || table === undefined ? undefined : { schema, table };
}

export const checksQuery = ({ as, private: isPrivate, table }: RealtimeSearch) =>
  queryOptions({
    queryKey: ['realtime-checks', as, isPrivate, table],
    queryFn: ({ signal }) =>
      callConsole<Checks>(
        `/realtime/checks?${new URLSearchParams({
          as: as ?? 'anon',
          private: isPrivate ? '1' : '0',
          ...splitTable(table),
        })}`,
        { signal },
      ),
  });
