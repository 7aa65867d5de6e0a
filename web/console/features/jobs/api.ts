/** Queries for the Jobs pages. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  HookName,
  MessageSource,
  MessageRow as QueueMessage,
} from '../../../../src/pages/console/jobs/contract.ts';
import type { Payload } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';

export type {
  CompletedRow as AnsweredRequest,
  CronJob,
  CronJobs,
  DeliveryRow as Delivery,
  ExtensionName,
  HookName,
  JobsOverview as Parts,
  MessageRow as QueueMessage,
  MessageSource,
  PartState,
  PendingRequest,
  QueueRow as Queue,
  RunRow as CronRun,
  ShownPair as Pair,
  Webhook,
  WebhookEvent,
} from '../../../../src/pages/console/jobs/contract.ts';

const refreshMs = 5_000;

export const partsQuery = queryOptions({
  queryKey: ['jobs'],
  queryFn: ({ signal }) => fetchConsole('GET /jobs', { signal }),
  staleTime: 30_000,
});

export const cronQuery = queryOptions({
  queryKey: ['jobs', 'cron'],
  queryFn: ({ signal }) => fetchConsole('GET /jobs/cron', { signal }),
  refetchInterval: refreshMs,
});

export const runsQuery = (id: string, failed: boolean) =>
  infiniteQueryOptions({
    queryKey: ['jobs', 'runs', id, failed],
    queryFn: ({ signal, pageParam }) =>
      fetchConsole('GET /jobs/cron/:id/runs', {
        params: { id },
        query: { failed: String(failed), ...(pageParam === '' ? {} : { before: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ runs, more }) => (more ? runs.at(-1)?.id : undefined),
    refetchInterval: refreshMs,
  });

export const hookParams = ({ schema, table, name }: HookName): HookName => ({ schema, table, name });
/** Returns the ID that stands for a webhook in the page's URL. */
export const hookId = ({ schema, table, name }: HookName): string => [schema, table, name].join('.');

export const webhooksQuery = queryOptions({
  queryKey: ['jobs', 'webhooks'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /jobs/webhooks', { signal })).webhooks,
  refetchInterval: refreshMs,
});

export const deliveriesQuery = (hook: HookName) =>
  infiniteQueryOptions({
    queryKey: ['jobs', 'deliveries', hookId(hook)],
    queryFn: ({ signal, pageParam }) =>
      fetchConsole('GET /jobs/webhooks/:schema/:table/:name/deliveries', {
        params: hookParams(hook),
        query: { before: pageParam || undefined },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ deliveries, more }) => (more ? deliveries.at(-1)?.id : undefined),
    refetchInterval: refreshMs,
  });

export const pendingQuery = infiniteQueryOptions({
  queryKey: ['jobs', 'waiting'],
  queryFn: ({ signal, pageParam }) =>
    fetchConsole('GET /jobs/requests/waiting', { query: { before: pageParam || undefined }, signal }),
  initialPageParam: '',
  getNextPageParam: ({ requests, more }) => (more ? requests.at(-1)?.id : undefined),
  refetchInterval: refreshMs,
});

export const completedQuery = (failed: boolean) =>
  infiniteQueryOptions({
    queryKey: ['jobs', 'answered', failed],
    queryFn: ({ signal, pageParam }) =>
      fetchConsole('GET /jobs/requests/answered', {
        query: { failed: String(failed), ...(pageParam === '' ? {} : { before: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ requests, more }) => {
      const last = requests.at(-1);
      return more && last !== undefined ? `${last.answered_at},${last.id}` : undefined;
    },
    refetchInterval: refreshMs,
  });

export type OpenedRequest =
  | Payload<'GET /jobs/requests/waiting/:id'>
  | Payload<'GET /jobs/requests/answered/:id'>;

export const requestQuery = (kind: 'waiting' | 'answered', id: string) =>
  queryOptions({
    queryKey: ['jobs', 'request', kind, id],
    queryFn: ({ signal }): Promise<OpenedRequest> =>
      kind === 'waiting'
        ? fetchConsole('GET /jobs/requests/waiting/:id', { params: { id }, signal })
        : fetchConsole('GET /jobs/requests/answered/:id', { params: { id }, signal }),
  });

export const queuesQuery = queryOptions({
  queryKey: ['jobs', 'queues'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /jobs/queues', { signal })).queues,
  refetchInterval: refreshMs,
});

export const messagesKey = (name: string) => ['jobs', 'messages', name] as const;

export const messagesQuery = (name: string, of: MessageSource) =>
  infiniteQueryOptions({
    queryKey: [...messagesKey(name), of],
    queryFn: ({ signal, pageParam }) =>
      fetchConsole('GET /jobs/queues/:queue/messages', {
        params: { queue: name },
        query: { of, ...(pageParam === '' ? {} : { after: pageParam }) },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ messages, more }) => (more ? messages.at(-1)?.id : undefined),
    refetchInterval: refreshMs,
  });

export const fetchMessage = (name: string, of: MessageSource, id: string): Promise<QueueMessage> =>
  fetchConsole('GET /jobs/queues/:queue/messages/:id', { params: { queue: name, id }, query: { of } });

/** The functions page uses a query with the same key, so both share the cached data. */
export const functionSlugsQuery = queryOptions({
  queryKey: ['functions'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /functions', { signal })).functions,
});
