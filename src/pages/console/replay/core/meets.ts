import type { ReplayResponse } from '../../../../services/rest/index.ts';
import type { Expectation } from '../contract.ts';
import { rowsOf } from './rows.ts';

/** Whether a response is as expected. GraphQL reports errors with status 200. */
export function meets(response: ReplayResponse, expects: Expectation): boolean {
  const range = response.headers.find(([name]) => name.toLowerCase() === 'content-range')?.[1];
  const rows = rowsOf(response, range);
  const isFailed = hasFailed(response);
  switch (expects) {
    case 'succeeds':
      return !isFailed;
    case 'fails':
      return isFailed;
    case 'rows':
      return rows !== null && rows > 0;
    case 'no-rows':
      return rows === 0;
  }
}

export const hasFailed = ({ status, text }: ReplayResponse): boolean =>
  status >= 400 || /^\{"data": ?null,.*"errors"/s.test(text);
