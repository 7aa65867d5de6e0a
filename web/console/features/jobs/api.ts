/** What the Jobs pages read. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { callConsole } from '../../api/session.ts';

export type PartState = 'ready' | 'off' | 'missing';
export type ExtensionName = 'pg_cron' | 'pg_net' | 'pgmq';

export interface Parts {
  readonly cron: PartState;
  readonly net: PartState;
  readonly queues: PartState;
  readonly hooks: boolean;
  /** The statement that makes it. */
  readonly enabling: Readonly<Record<ExtensionName, string>>;
}

export interface CronRun {
  readonly id: string;
  readonly status: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  readonly message: string | null;
}

export interface CronJob {
  readonly id: string;
  readonly name: string | null;
  readonly schedule: string;
  /** Null: hidden from the operator's role. */
  readonly command: string | null;
  readonly database: string;
  readonly role: string;
  readonly active: boolean;
  readonly mine: boolean;
  readonly last_run: CronRun | null;
}

export interface CronJobs {
  /** What the fields of schedules are read in. */
  readonly zone: string;
  readonly canRunNow: boolean;
  readonly jobs: readonly CronJob[];
}

export type WebhookEvent = 'insert' | 'update' | 'delete';
/** Null: hidden. */
export type Pair = readonly [name: string, value: string | null];

export interface Delivery {
  readonly id: string;
  readonly sent_at: string;
  readonly outcome: 'answered' | 'failed' | 'timed out' | 'waiting' | 'forgotten';
  readonly status: number | null;
  readonly answered_at: string | null;
  readonly request_id: string | null;
  readonly content_type: string | null;
  readonly content: string | null;
  readonly error: string | null;
}

export interface HookName {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
}

export interface Webhook extends HookName {
  readonly enabled: boolean;
  readonly events: readonly (WebhookEvent | 'truncate')[];
  readonly url: string;
  readonly method: string;
  readonly headers: readonly Pair[];
  readonly params: readonly Pair[];
  readonly timeoutMs: number;
  /** False: a form would lose what else it has. */
  readonly isPlain: boolean;
  readonly definition: string | null;
  readonly last_delivery: Delivery | null;
}

export interface WaitingRequest {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly headers: readonly Pair[];
  readonly body_bytes: number | null;
  readonly timeout_ms: number;
  readonly webhook: string | null;
}

export interface AnsweredRequest {
  readonly id: string;
  readonly answered_at: string;
  readonly status: number | null;
  readonly timed_out: boolean;
  readonly error: string | null;
  readonly content_type: string | null;
  readonly content_bytes: number | null;
  readonly webhook: string | null;
}

export interface Queue {
  readonly name: string;
  readonly unlogged: boolean;
  readonly partitioned: boolean;
  readonly created_at: string;
  readonly table: string;
  readonly rls: boolean | null;
  readonly length: number | null;
  readonly visible: number | null;
  readonly oldest_seconds: number | null;
  readonly newest_seconds: number | null;
  readonly total: number | null;
}

export interface QueueMessage {
  readonly id: string;
  readonly enqueued_at: string;
  readonly visible_at: string;
  readonly is_hidden: boolean;
  readonly read_count: number;
  readonly archived_at: string | null;
  readonly message: string | null;
  readonly message_chars: number | null;
  readonly headers: string | null;
}

export type MessagePlace = 'queue' | 'archive';

const refreshMs = 5_000;

export const partsQuery = queryOptions({
  queryKey: ['jobs'],
  queryFn: ({ signal }) => callConsole<Parts>('/jobs', { signal }),
  staleTime: 30_000,
});

export const cronQuery = queryOptions({
  queryKey: ['jobs', 'cron'],
  queryFn: ({ signal }) => callConsole<CronJobs>('/jobs/cron', { signal }),
  refetchInterval: refreshMs,
});

export const runsQuery = (id: string, failed: boolean) =>
  infiniteQueryOptions({
    queryKey: ['jobs', 'runs', id, failed],
    queryFn: ({ signal, pageParam }) =>
      callConsole<{ runs: readonly CronRun[]; more: boolean }>(
        `/jobs/cron/${id}/runs?${new URLSearchParams({ failed: String(failed), ...(pageParam === '' ? {} : { before: pageParam }) })}`,
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ runs, more }) => (more ? runs.at(-1)?.id : undefined),
    refetchInterval: refreshMs,
  });

export const hookPath = ({ schema, table, name }: HookName): string =>
  `/jobs/webhooks/${[schema, table, name].map(encodeURIComponent).join('/')}`;
/** Its place in the address. */
export const hookId = ({ schema, table, name }: HookName): string => [schema, table, name].join('.');

export const webhooksQuery = queryOptions({
  queryKey: ['jobs', 'webhooks'],
  queryFn: async ({ signal }) =>
    (await callConsole<{ webhooks: readonly Webhook[] }>('/jobs/webhooks', { signal })).webhooks,
  refetchInterval: refreshMs,
});

export const deliveriesQuery = (hook: HookName) =>
  infiniteQueryOptions({
    queryKey: ['jobs', 'deliveries', hookId(hook)],
    queryFn: ({ signal, pageParam }) =>
      callConsole<{ deliveries: readonly Delivery[]; more: boolean }>(
        `${hookPath(hook)}/deliveries${pageParam === '' ? '' : `?before=${pageParam}`}`,
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ deliveries, more }) => (more ? deliveries.at(-1)?.id : undefined),
    refetchInterval: refreshMs,
  });

export const waitingQuery = infiniteQueryOptions({
  queryKey: ['jobs', 'waiting'],
  queryFn: ({ signal, pageParam }) =>
    callConsole<{ count: number; requests: readonly WaitingRequest[]; more: boolean }>(
      `/jobs/requests/waiting${pageParam === '' ? '' : `?before=${pageParam}`}`,
      { signal },
    ),
  initialPageParam: '',
  getNextPageParam: ({ requests, more }) => (more ? requests.at(-1)?.id : undefined),
  refetchInterval: refreshMs,
});

export const answeredQuery = (failed: boolean) =>
  infiniteQueryOptions({
    queryKey: ['jobs', 'answered', failed],
    queryFn: ({ signal, pageParam }) =>
      callConsole<{ kept: string | null; requests: readonly AnsweredRequest[]; more: boolean }>(
        `/jobs/requests/answered?${new URLSearchParams({ failed: String(failed), ...(pageParam === '' ? {} : { before: pageParam }) })}`,
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ requests, more }) => {
      const last = requests.at(-1);
      return more && last !== undefined ? `${last.answered_at},${last.id}` : undefined;
    },
    refetchInterval: refreshMs,
  });

export type OpenedRequest =
  | (Omit<WaitingRequest, 'webhook'> & { readonly body: string | null })
  | (Omit<AnsweredRequest, 'webhook'> & {
      readonly headers: readonly Pair[];
      readonly content: string | null;
    });

export const requestQuery = (kind: 'waiting' | 'answered', id: string) =>
  queryOptions({
    queryKey: ['jobs', 'request', kind, id],
    queryFn: ({ signal }) => callConsole<OpenedRequest>(`/jobs/requests/${kind}/${id}`, { signal }),
  });

export const queuesQuery = queryOptions({
  queryKey: ['jobs', 'queues'],
  queryFn: async ({ signal }) =>
    (await callConsole<{ queues: readonly Queue[] }>('/jobs/queues', { signal })).queues,
  refetchInterval: refreshMs,
});

export const queuePath = (name: string): string => `/jobs/queues/${encodeURIComponent(name)}`;
export const messagesKey = (name: string) => ['jobs', 'messages', name] as const;

export const messagesQuery = (name: string, of: MessagePlace) =>
  infiniteQueryOptions({
    queryKey: [...messagesKey(name), of],
    queryFn: ({ signal, pageParam }) =>
      callConsole<{ messages: readonly QueueMessage[]; more: boolean }>(
        `${queuePath(name)}/messages?${new URLSearchParams({ of, ...(pageParam === '' ? {} : { after: pageParam }) })}`,
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ messages, more }) => (more ? messages.at(-1)?.id : undefined),
    refetchInterval: refreshMs,
  });

export const fetchMessage = (name: string, of: MessagePlace, id: string): Promise<QueueMessage> =>
  callConsole<QueueMessage>(`${queuePath(name)}/messages/${id}?of=${of}`);

/** What the functions page reads too. */
export const functionSlugsQuery = queryOptions({
  queryKey: ['functions'],
  queryFn: async ({ signal }) =>
    (
      await callConsole<{ functions: readonly { readonly slug: string; readonly verifyJwt: boolean }[] }>(
        '/functions',
        {
          signal,
        },
      )
    ).functions,
});
