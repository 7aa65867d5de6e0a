import { queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';
import type { Request } from './request.ts';

export type {
  ExposedFunction,
  ExposedSchemas as Exposed,
} from '../../../../src/pages/console/reference/contract.ts';

export const exposedQuery = queryOptions({
  queryKey: ['reference'],
  queryFn: ({ signal }) => fetchConsole('GET /reference', { signal }),
});

export interface Trial extends Request {
  readonly as: string | undefined;
  readonly rollsBack: boolean;
}

export const tryRequest = ({ as, body, schema, ...rest }: Trial) =>
  fetchConsole('POST /reference/try', {
    body: {
      ...rest,
      ...(as === undefined ? {} : { as }),
      ...(body === undefined ? {} : { body }),
      ...(schema === undefined ? {} : { schema }),
    },
  });
