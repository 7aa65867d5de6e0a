/**
 * Every address of the Console. Pages are loaded when they are needed; what they show is asked for at the same time. The
 * first one is sent for before this code is there (`early.ts`).
 */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { homeQuery, inboxQuery, relationQuery, rowsQuery, tablesQuery, usersQuery } from './api/queries.ts';
import { sessionQuery } from './api/session.ts';
import { type AsSearch, validateAs } from './components/persona.ts';
import { RouteFault, RouteMissing, RouteWaiting } from './components/route-states.tsx';
import { forgetEarly } from './early.ts';
import { validateAuditSearch } from './features/audit/api.ts';
import { functionsQuery, validateFunctionsSearch } from './features/functions/api.ts';
import { validateOpenSearch, validateQueueSearch, validateRequestSearch } from './features/jobs/search.ts';
import { validateLogSearch } from './features/logs/api.ts';
import { validateMetricsSearch } from './features/metrics/api.ts';
import { validatePolicySearch } from './features/policies/search.ts';
import { realtimeQuery, validateRealtimeSearch } from './features/realtime/api.ts';
import { validateReferenceSearch } from './features/reference/search.ts';
import { validateSettingsSearch } from './features/settings/api.ts';
import { storageQuery, validateStorageSearch } from './features/storage/api.ts';
import { validateTableSearch } from './features/tables/search.ts';
import { validateWhySearch } from './features/why/search.ts';
import { Shell } from './layout/shell.tsx';

export interface RouterContext {
  readonly queryClient: QueryClient;
  /** From the one-time link that opened this page. */
  readonly linkToken: string | undefined;
  /** The token is used once the operator says so: see `take-token.ts`. */
  readonly asksFirst: boolean;
}

const rootRoute = createRootRouteWithContext<RouterContext>()({ notFoundComponent: RouteMissing });

const HomePage = lazyRouteComponent(() => import('./features/home/page.tsx'), 'HomePage');
const TablesPage = lazyRouteComponent(() => import('./features/tables/tables-page.tsx'), 'TablesPage');
const NoTable = lazyRouteComponent(() => import('./features/tables/tables-page.tsx'), 'NoTable');
const StructurePage = lazyRouteComponent(
  () => import('./features/tables/schema/structure-page.tsx'),
  'StructurePage',
);
const NewTablePage = lazyRouteComponent(
  () => import('./features/tables/schema/new-table-page.tsx'),
  'NewTablePage',
);
const TypesPage = lazyRouteComponent(() => import('./features/tables/schema/types-page.tsx'), 'TypesPage');
const TablePage = lazyRouteComponent(() => import('./features/tables/table-page.tsx'), 'TablePage');
const UsersPage = lazyRouteComponent(() => import('./features/users/page.tsx'), 'UsersPage');
const OperatorsPage = lazyRouteComponent(() => import('./features/operators/page.tsx'), 'OperatorsPage');
const LogsPage = lazyRouteComponent(() => import('./features/logs/page.tsx'), 'LogsPage');
const MetricsPage = lazyRouteComponent(() => import('./features/metrics/page.tsx'), 'MetricsPage');
const KeysPage = lazyRouteComponent(() => import('./features/keys/page.tsx'), 'KeysPage');
const SettingsPage = lazyRouteComponent(() => import('./features/settings/page.tsx'), 'SettingsPage');
const ReferencePage = lazyRouteComponent(() => import('./features/reference/page.tsx'), 'ReferencePage');
const AuditPage = lazyRouteComponent(() => import('./features/audit/page.tsx'), 'AuditPage');
const InboxPage = lazyRouteComponent(() => import('./features/inbox/page.tsx'), 'InboxPage');

const SqlPage = lazyRouteComponent(() => import('./features/sql/page.tsx'), 'SqlPage');
const StoragePage = lazyRouteComponent(() => import('./features/storage/page.tsx'), 'StoragePage');
const FunctionsPage = lazyRouteComponent(() => import('./features/functions/page.tsx'), 'FunctionsPage');
const RealtimePage = lazyRouteComponent(() => import('./features/realtime/page.tsx'), 'RealtimePage');

const JobsPage = lazyRouteComponent(() => import('./features/jobs/page.tsx'), 'JobsPage');
const CronPage = lazyRouteComponent(() => import('./features/jobs/cron/page.tsx'), 'CronPage');
const WebhooksPage = lazyRouteComponent(() => import('./features/jobs/webhooks/page.tsx'), 'WebhooksPage');
const RequestsPage = lazyRouteComponent(() => import('./features/jobs/requests/page.tsx'), 'RequestsPage');
const QueuesPage = lazyRouteComponent(() => import('./features/jobs/queues/page.tsx'), 'QueuesPage');

const PoliciesPage = lazyRouteComponent(() => import('./features/policies/page.tsx'), 'PoliciesPage');
const WhyPage = lazyRouteComponent(() => import('./features/why/page.tsx'), 'WhyPage');

/** Only a path of our own. */
function localPath(value: unknown): string | undefined {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value) ? value : undefined;
}

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>): { next?: string } => {
    const next = localPath(search.next);
    return next === undefined ? {} : { next };
  },
  component: lazyRouteComponent(() => import('./features/sign-in/page.tsx'), 'SignInPage'),
});

const appRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'app',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session === null || session.factor === 'owed' || session.factor === 'missing') {
      forgetEarly();
      const next = location.href === '/' ? {} : { next: location.href };
      throw redirect({ to: '/sign-in', search: next, replace: true });
    }
  },
  component: Shell,
});

const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  loader: ({ context }) => void context.queryClient.prefetchQuery(homeQuery),
  component: HomePage,
});

const tablesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/tables',
  loader: ({ context }) => void context.queryClient.prefetchQuery(tablesQuery),
  component: TablesPage,
});

const tablesIndexRoute = createRoute({
  getParentRoute: () => tablesRoute,
  path: '/',
  component: NoTable,
});

const tableRoute = createRoute({
  getParentRoute: () => tablesRoute,
  path: '/$schema/$table',
  validateSearch: validateTableSearch,
  loaderDeps: ({ search }) => ({ filters: search.filters ?? [], sort: search.sort ?? [], as: search.as }),
  loader: ({ context, params, deps }) => {
    void context.queryClient.prefetchQuery(relationQuery(params));
    void context.queryClient.prefetchQuery(rowsQuery(params, deps, 0));
  },
  component: TablePage,
});

const structureRoute = createRoute({
  getParentRoute: () => tablesRoute,
  path: '/$schema/$table/structure',
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(relationQuery(params)),
  component: StructurePage,
});

const newTableRoute = createRoute({
  getParentRoute: () => tablesRoute,
  path: '/new',
  validateSearch: (search: Record<string, unknown>): { schema?: string } =>
    typeof search.schema === 'string' && search.schema !== '' ? { schema: search.schema } : {},
  component: NewTablePage,
});

const typesRoute = createRoute({
  getParentRoute: () => tablesRoute,
  path: '/types',
  component: TypesPage,
});

interface ListSearch {
  readonly search?: string;
  readonly page?: number;
  /** The item that is open in the panel. */
  readonly id?: string;
}

function validateListSearch(search: Record<string, unknown>): ListSearch {
  const page = Number(search.page);
  return {
    ...(typeof search.search === 'string' && search.search !== '' ? { search: search.search } : {}),
    ...(Number.isSafeInteger(page) && page > 1 ? { page } : {}),
    ...(typeof search.id === 'string' && search.id !== '' ? { id: search.id } : {}),
  };
}

const usersRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/users',
  validateSearch: validateListSearch,
  loaderDeps: ({ search }) => ({ search: search.search ?? '', page: search.page ?? 1 }),
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(usersQuery(deps.search, deps.page)),
  component: UsersPage,
});

const inboxRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/inbox',
  validateSearch: validateListSearch,
  loaderDeps: ({ search }) => ({ search: search.search ?? '', page: search.page ?? 1 }),
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(inboxQuery(deps.search, deps.page)),
  component: InboxPage,
});

const storageRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/storage',
  validateSearch: validateStorageSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(storageQuery),
  component: StoragePage,
});

const functionsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/functions',
  validateSearch: validateFunctionsSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(functionsQuery),
  component: FunctionsPage,
});

const realtimeRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/realtime',
  validateSearch: validateRealtimeSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(realtimeQuery),
  component: RealtimePage,
});

const jobsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/jobs',
  component: JobsPage,
});

const jobsIndexRoute = createRoute({
  getParentRoute: () => jobsRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/jobs/cron', replace: true });
  },
});

const cronRoute = createRoute({
  getParentRoute: () => jobsRoute,
  path: '/cron',
  validateSearch: validateOpenSearch,
  component: CronPage,
});

const webhooksRoute = createRoute({
  getParentRoute: () => jobsRoute,
  path: '/webhooks',
  validateSearch: validateOpenSearch,
  component: WebhooksPage,
});

const requestsRoute = createRoute({
  getParentRoute: () => jobsRoute,
  path: '/requests',
  validateSearch: validateRequestSearch,
  component: RequestsPage,
});

const queuesRoute = createRoute({
  getParentRoute: () => jobsRoute,
  path: '/queues',
  validateSearch: validateQueueSearch,
  component: QueuesPage,
});

const operatorsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/operators',
  component: OperatorsPage,
});

const logsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/logs',
  validateSearch: validateLogSearch,
  component: LogsPage,
});

const metricsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/metrics',
  validateSearch: validateMetricsSearch,
  component: MetricsPage,
});

const keysRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/keys',
  component: KeysPage,
});

const settingsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/settings',
  validateSearch: validateSettingsSearch,
  component: SettingsPage,
});

const referenceRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/reference',
  validateSearch: validateReferenceSearch,
  component: ReferencePage,
});

const auditRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/audit',
  validateSearch: validateAuditSearch,
  component: AuditPage,
});

const sqlRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/sql',
  validateSearch: (search: Record<string, unknown>): AsSearch & { tab?: string } => ({
    ...validateAs(search),
    ...(search.tab === undefined ? {} : { tab: String(search.tab) }),
  }),
  component: SqlPage,
});

const policiesRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/policies',
  validateSearch: validatePolicySearch,
  component: PoliciesPage,
});

const whyRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/why',
  validateSearch: validateWhySearch,
  component: WhyPage,
});

const routeTree = rootRoute.addChildren([
  signInRoute,
  appRoute.addChildren([
    homeRoute,
    tablesRoute.addChildren([tablesIndexRoute, tableRoute, structureRoute, newTableRoute, typesRoute]),
    usersRoute,
    storageRoute,
    functionsRoute,
    realtimeRoute,
    jobsRoute.addChildren([jobsIndexRoute, cronRoute, webhooksRoute, requestsRoute, queuesRoute]),
    inboxRoute,
    sqlRoute,
    policiesRoute,
    whyRoute,
    operatorsRoute,
    auditRoute,
    referenceRoute,
    settingsRoute,
    keysRoute,
    logsRoute,
    metricsRoute,
  ]),
]);

export function createConsoleRouter(context: RouterContext) {
  return createRouter({
    routeTree,
    basepath: '/console',
    context,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 150,
    defaultPendingComponent: RouteWaiting,
    defaultErrorComponent: RouteFault,
    defaultNotFoundComponent: RouteMissing,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
