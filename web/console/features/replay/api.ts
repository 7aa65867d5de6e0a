import { queryOptions } from '@tanstack/react-query';
import type { Body } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';

export type {
  Expectation,
  GeneratedTest,
  LoggedRequest,
  ReplayOptions,
  ReplayResult,
} from '../../../../src/pages/console/replay/contract.ts';

export type ReplayRequest = Body<'POST /replays'>;
export type TestRequest = Body<'POST /replays/test'>;

export const optionsQuery = queryOptions({
  queryKey: ['replay-options'],
  queryFn: ({ signal }) => fetchConsole('GET /replays', { signal }),
});

export const loggedQuery = (id: string) =>
  queryOptions({
    queryKey: ['replay', id],
    queryFn: ({ signal }) => fetchConsole('GET /replays/:id', { params: { id }, signal }),
    retry: false,
  });

export const replay = (body: ReplayRequest) => fetchConsole('POST /replays', { body });
export const makeTest = (body: TestRequest) => fetchConsole('POST /replays/test', { body });
export const writeTest = (body: TestRequest) => fetchConsole('POST /replays/test/file', { body });
