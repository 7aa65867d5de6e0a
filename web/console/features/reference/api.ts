/** What REST shows, and requests to it that are tried. */
import { queryOptions } from '@tanstack/react-query';
import { callConsole } from '../../api/session.ts';
import type { Request } from './request.ts';

export interface ExposedFunction {
  readonly schema: string;
  readonly name: string;
  readonly arguments: readonly { readonly name: string; readonly type: string; readonly required: boolean }[];
  readonly returns: string;
  readonly volatile: boolean;
  readonly comment: string | null;
}

export interface Exposed {
  /** The first is meant by requests that name none. */
  readonly schemas: readonly string[];
  readonly functions: readonly ExposedFunction[];
}

export const exposedQuery = queryOptions({
  queryKey: ['reference'],
  queryFn: ({ signal }) => callConsole<Exposed>('/reference', { signal }),
});

export interface Trial extends Request {
  readonly as: string | undefined;
  readonly rollsBack: boolean;
}

export const tryRequest = ({ as, body, schema, ...rest }: Trial) =>
  callConsole<{ status: number; body: string; isCut: boolean }>('/reference/try', {
    method: 'POST',
    body: {
      ...rest,
      ...(as === undefined ? {} : { as }),
      ...(body === undefined ? {} : { body }),
      ...(schema === undefined ? {} : { schema }),
    },
  });
