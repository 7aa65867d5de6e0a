/** Queries and search parameters for the webhooks for events about users. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../../api/session.ts';

export type {
  DeliveryRow,
  OpenedDelivery,
  UserWebhooks,
  WebhookState,
} from '../../../../../src/pages/console/user-webhooks/contract.ts';

const refreshMs = 5_000;
export const webhooksKey = ['user-webhooks'] as const;

export const webhooksQuery = queryOptions({
  queryKey: [...webhooksKey, 'list'],
  queryFn: ({ signal }) => fetchConsole('GET /webhooks', { signal }),
  refetchInterval: refreshMs,
});

export interface DeliverySearch {
  readonly webhook?: string;
  readonly failed?: true;
  /** The delivery that is open in the panel. */
  readonly id?: string;
}

export function validateDeliverySearch({ webhook, failed, id }: Record<string, unknown>): DeliverySearch {
  // The router parses a text that consists only of digits as a number.
  const text = (value: unknown): string | undefined =>
    typeof value === 'number' || (typeof value === 'string' && value !== '') ? String(value) : undefined;
  const [name, open] = [text(webhook), text(id)];
  return {
    ...(name === undefined ? {} : { webhook: name }),
    ...(failed === true ? { failed } : {}),
    ...(open === undefined ? {} : { id: open }),
  };
}

export const deliveriesQuery = ({ webhook, failed }: DeliverySearch) =>
  infiniteQueryOptions({
    queryKey: [...webhooksKey, 'deliveries', webhook ?? '', failed === true],
    queryFn: ({ signal, pageParam }) =>
      fetchConsole('GET /webhooks/deliveries', {
        query: {
          failed: failed === true ? 'true' : 'false',
          ...(webhook === undefined ? {} : { webhook }),
          ...(pageParam === '' ? {} : { before: pageParam }),
        },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ deliveries, more }) => (more ? deliveries.at(-1)?.id : undefined),
    refetchInterval: refreshMs,
  });

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: [...webhooksKey, 'delivery', id],
    queryFn: ({ signal }) => fetchConsole('GET /webhooks/deliveries/:id', { params: { id }, signal }),
    refetchInterval: refreshMs,
    retry: false,
  });
