/**
 * Defines the routes of the pages in `pages.ts`, with their search parameters and the data that is requested while a
 * page's code loads. For the first page, `early.ts` requests the data before this module runs.
 */
import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';

import { homeQuery, inboxQuery, relationQuery, rowsQuery, tablesQuery } from './api/queries.ts';
import { sessionQuery } from './api/session.ts';
import { RouteFault, RouteMissing, RouteWaiting } from './components/frame/route-states.tsx';
import { loadPart } from './components/lazy-part.ts';
import { type AsSearch, validateAs } from './components/persona/persona.ts';
import { forgetEarly } from './early.ts';
import { advisorsQuery, validateAdvisorsSearch } from './features/advisors/api.ts';
import { validateAuditSearch } from './features/audit/api.ts';
import { functionsQuery, validateFunctionsSearch } from './features/functions/api.ts';
import { validateOpenSearch, validateQueueSearch, validateRequestSearch } from './features/jobs/search.ts';
import { validateLogSearch } from './features/logs/api.ts';
import { validateMetricsSearch } from './features/metrics/api.ts';
import { migrationsQuery, validateMigrationsSearch } from './features/migrations/api.ts';
import { validateNodesSearch } from './features/nodes/api.ts';
import { validatePolicySearch } from './features/policies/search.ts';
import { validateActivitySearch, validateStatementsSearch } from './features/queries/api.ts';
import { realtimeQuery, validateRealtimeSearch } from './features/realtime/api.ts';
import { validateReferenceSearch } from './features/reference/search.ts';
import { validateSettingsSearch } from './features/settings/api.ts';
import { storageQuery, validateStorageSearch } from './features/storage/api.ts';
import { validateTableSearch } from './features/tables/rows/search.ts';
import { ssoQuery, usersQuery } from './features/users/api.ts';
import { validateUsersSearch } from './features/users/search.ts';
import { validateWhySearch } from './features/why/search.ts';
import { Shell } from './layout/shell.tsx';
import { type PagePath, pages, type RelativePath, relativePath } from './pages.ts';

export interface RouterContext {
  readonly queryClient: QueryClient;
  /** The token in the one-time link that opened this page. */
  readonly linkToken: string | undefined;
  /** Whether the operator must confirm before the token is used. See `take-token.ts`. */
  readonly confirmsFirst: boolean;
}

const rootRoute = createRootRouteWithContext<RouterContext>()({ notFoundComponent: RouteMissing });

const pageFiles = import.meta.glob<Record<string, RouteComponent>>([
  './features/**/page.tsx',
  './features/**/*-page.tsx',
]);

/** Returns the path and the lazily loaded component of a page. */
function pageAt<P extends PagePath>(path: P): { path: RelativePath<P>; component: RouteComponent } {
  const { module, component } = pages[path];
  const load = pageFiles[`./${module}`];
  if (load === undefined) throw new Error(`pages.ts: ${module} isn't the file of a page`);
  return {
    path: relativePath(path),
    component: lazyRouteComponent(() => loadPart(load).catch(throwAsMissing), component),
  };
}

/**
 * After a server update, the previous version's files no longer exist. If a file is missing, the router reloads the
 * page, but only if it recognizes the error message for a missing script. Vite reports a different error for a missing
 * style sheet.
 */
function throwAsMissing(error: unknown): never {
  if (error instanceof Error && error.message.startsWith('Unable to preload CSS'))
    throw new Error(`Failed to fetch dynamically imported module: ${error.message}`, { cause: error });
  throw error;
}

/** Returns the value if it is a path on this origin, and otherwise undefined. */
function localPath(value: unknown): string | undefined {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value) ? value : undefined;
}

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  ...pageAt('/sign-in'),
  validateSearch: (search: Record<string, unknown>): { next?: string } => {
    const next = localPath(search.next);
    return next === undefined ? {} : { next };
  },
});

const Nothing = (): null => null;

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
  // While the route loads, the frame in the HTML stays visible (`build/boot-frame.ts`).
  pendingComponent: Nothing,
});

const homeRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/'),
  loader: ({ context }) => void context.queryClient.prefetchQuery(homeQuery),
});

const tablesRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/tables'),
  loader: ({ context }) => void context.queryClient.prefetchQuery(tablesQuery),
});

const tablesIndexRoute = createRoute({
  getParentRoute: () => tablesRoute,
  ...pageAt('/tables/'),
});

const tableRoute = createRoute({
  getParentRoute: () => tablesRoute,
  ...pageAt('/tables/$schema/$table'),
  validateSearch: validateTableSearch,
  loaderDeps: ({ search }) => ({ filters: search.filters ?? [], sort: search.sort ?? [], as: search.as }),
  loader: ({ context, params, deps }) => {
    void context.queryClient.prefetchQuery(relationQuery(params));
    void context.queryClient.prefetchQuery(rowsQuery(params, deps, 0));
  },
});

const structureRoute = createRoute({
  getParentRoute: () => tablesRoute,
  ...pageAt('/tables/$schema/$table/structure'),
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(relationQuery(params)),
});

const newTableRoute = createRoute({
  getParentRoute: () => tablesRoute,
  ...pageAt('/tables/new'),
  validateSearch: (search: Record<string, unknown>): { schema?: string; from?: 'file' } => ({
    ...(typeof search.schema === 'string' && search.schema !== '' ? { schema: search.schema } : {}),
    ...(search.from === 'file' ? { from: 'file' as const } : {}),
  }),
});

const typesRoute = createRoute({
  getParentRoute: () => tablesRoute,
  ...pageAt('/tables/types'),
});

interface ListSearch {
  readonly search?: string;
  readonly page?: number;
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
  ...pageAt('/users'),
  validateSearch: validateUsersSearch,
  loaderDeps: ({ search: { id: _id, ...list } }) => list,
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(usersQuery(deps)),
});

const ssoRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/users/sso'),
  validateSearch: (search: Record<string, unknown>): { id?: string } =>
    typeof search.id === 'string' && search.id !== '' ? { id: search.id } : {},
  loader: ({ context }) => void context.queryClient.prefetchQuery(ssoQuery),
});

const inboxRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/inbox'),
  validateSearch: validateListSearch,
  loaderDeps: ({ search }) => ({ search: search.search ?? '', page: search.page ?? 1 }),
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(inboxQuery(deps.search, deps.page)),
});

const storageRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/storage'),
  validateSearch: validateStorageSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(storageQuery),
});

const functionsRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/functions'),
  validateSearch: validateFunctionsSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(functionsQuery),
});

const realtimeRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/realtime'),
  validateSearch: validateRealtimeSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(realtimeQuery),
});

const jobsRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/jobs'),
});

const jobsIndexRoute = createRoute({
  getParentRoute: () => jobsRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: pages['/jobs'].redirect, replace: true });
  },
});

const cronRoute = createRoute({
  getParentRoute: () => jobsRoute,
  ...pageAt('/jobs/cron'),
  validateSearch: validateOpenSearch,
});

const webhooksRoute = createRoute({
  getParentRoute: () => jobsRoute,
  ...pageAt('/jobs/webhooks'),
  validateSearch: validateOpenSearch,
});

const requestsRoute = createRoute({
  getParentRoute: () => jobsRoute,
  ...pageAt('/jobs/requests'),
  validateSearch: validateRequestSearch,
});

const queuesRoute = createRoute({
  getParentRoute: () => jobsRoute,
  ...pageAt('/jobs/queues'),
  validateSearch: validateQueueSearch,
});

const operatorsRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/operators'),
});

const logsRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/logs'),
  validateSearch: validateLogSearch,
});

const metricsRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/metrics'),
  validateSearch: validateMetricsSearch,
});

const queriesRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/queries'),
});

const queriesIndexRoute = createRoute({
  getParentRoute: () => queriesRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: pages['/queries'].redirect, replace: true });
  },
});

const statementsRoute = createRoute({
  getParentRoute: () => queriesRoute,
  ...pageAt('/queries/statements'),
  validateSearch: validateStatementsSearch,
});

const activityRoute = createRoute({
  getParentRoute: () => queriesRoute,
  ...pageAt('/queries/activity'),
  validateSearch: validateActivitySearch,
});

const backupsRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/backups'),
});

const nodesRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/nodes'),
  validateSearch: validateNodesSearch,
});

const keysRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/keys'),
});

const settingsRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/settings'),
  validateSearch: validateSettingsSearch,
});

const referenceRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/reference'),
  validateSearch: validateReferenceSearch,
});

const auditRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/audit'),
  validateSearch: validateAuditSearch,
});

const sqlRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/sql'),
  validateSearch: (search: Record<string, unknown>): AsSearch & { tab?: string } => ({
    ...validateAs(search),
    ...(search.tab === undefined ? {} : { tab: String(search.tab) }),
  }),
});

const policiesRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/policies'),
  validateSearch: validatePolicySearch,
});

const advisorsRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/advisors'),
  validateSearch: validateAdvisorsSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(advisorsQuery),
});

const migrationsRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/migrations'),
  validateSearch: validateMigrationsSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(migrationsQuery),
});

const whyRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/why'),
  validateSearch: validateWhySearch,
});

/** The route for all other addresses. The page for such addresses includes the menu. */
const missingRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '$',
  component: RouteMissing,
});

const routeTree = rootRoute.addChildren([
  signInRoute,
  appRoute.addChildren([
    missingRoute,
    homeRoute,
    tablesRoute.addChildren([tablesIndexRoute, tableRoute, structureRoute, newTableRoute, typesRoute]),
    usersRoute,
    ssoRoute,
    storageRoute,
    functionsRoute,
    realtimeRoute,
    jobsRoute.addChildren([jobsIndexRoute, cronRoute, webhooksRoute, requestsRoute, queuesRoute]),
    inboxRoute,
    sqlRoute,
    policiesRoute,
    advisorsRoute,
    migrationsRoute,
    whyRoute,
    operatorsRoute,
    auditRoute,
    referenceRoute,
    settingsRoute,
    keysRoute,
    logsRoute,
    metricsRoute,
    queriesRoute.addChildren([queriesIndexRoute, statementsRoute, activityRoute]),
    backupsRoute,
    nodesRoute,
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
