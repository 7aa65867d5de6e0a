import { queryOptions } from '@tanstack/react-query';
import type { Payload } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';
import { type AsSearch, validateAs } from '../../components/persona/persona.ts';

export type {
  Check,
  CheckCode,
  Checks,
  RealtimeOverview as RealtimeFacts,
} from '../../../../src/pages/console/realtime/contract.ts';

/** The explanation of why an event is or isn't delivered. `src/services/realtime/types.ts` documents the steps. */
export type CheckResult =
  | Payload<'POST /realtime/verdict/change'>
  | Payload<'POST /realtime/verdict/broadcast'>;

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
  queryFn: ({ signal }) => fetchConsole('GET /realtime', { signal }),
});

/** Splits {@link RealtimeSearch.table} into schema and table. */
export function splitTable(name: string | undefined): { schema: string; table: string } | undefined {
  const [, schema, table] = /^([^.]+)\.(.+)$/s.exec(name ?? '') ?? [];
  return schema === undefined || table === undefined ? undefined : { schema, table };
}

export const checksQuery = ({ as, private: isPrivate, table }: RealtimeSearch) =>
  queryOptions({
    queryKey: ['realtime-checks', as, isPrivate, table],
    queryFn: ({ signal }) =>
      fetchConsole('GET /realtime/checks', {
        query: {
          as: as ?? 'anon',
          private: isPrivate ? '1' : '0',
          ...splitTable(table),
        },
        signal,
      }),
  });
