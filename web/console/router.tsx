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
import { validateAuthorizeSearch } from './features/agents/api.ts';
import { validateAuditSearch } from './features/audit/api.ts';
import { defaultPrivilegesQuery, grantsQuery, rolesQuery } from './features/database/access/api.ts';
import { validateGrantsSearch, validateRolesSearch } from './features/database/access/search.ts';
import { routinesQuery } from './features/database/functions/api.ts';
import { indexesQuery, validateIndexSearch } from './features/database/indexes/api.ts';
import { validateObjectSearch } from './features/database/list-search.ts';
import {
  eventTriggersQuery,
  foreignServersQuery,
  publicationsQuery,
  sequencesQuery,
  typesQuery,
} from './features/database/objects/api.ts';
import { triggersQuery } from './features/database/triggers/api.ts';
import { viewsQuery } from './features/database/views/api.ts';
import { extensionsQuery, validateExtensionsSearch } from './features/extensions/api.ts';
import { functionsQuery, validateFunctionsSearch } from './features/functions/api.ts';
import { graphqlQuery } from './features/graphql/api.ts';
import { validateOpenSearch, validateQueueSearch, validateRequestSearch } from './features/jobs/search.ts';
import { validateLogSearch } from './features/logs/api.ts';
import { validateMetricsSearch } from './features/metrics/api.ts';
import { migrationsQuery, validateMigrationsSearch } from './features/migrations/api.ts';
import { validateNodesSearch } from './features/nodes/api.ts';
import { validatePolicySearch } from './features/policies/search.ts';
import { validateActivitySearch, validateStatementsSearch } from './features/queries/api.ts';
import { validateHistorySearch } from './features/queries/history-api.ts';
import { realtimeQuery, validateRealtimeSearch } from './features/realtime/api.ts';
import { validateReferenceSearch } from './features/reference/search.ts';
import { validateReplaySearch } from './features/replay/search.ts';
import { validateSettingsSearch } from './features/settings/api.ts';
import { storageQuery, validateStorageSearch } from './features/storage/api.ts';
import { diagramQuery } from './features/tables/diagram/api.ts';
import { validateDiagramSearch } from './features/tables/diagram/search.ts';
import { validateTableSearch } from './features/tables/rows/search.ts';
import { validateUndoSearch } from './features/undo/api.ts';
import { ssoQuery, usersQuery } from './features/users/api.ts';
import { validateUsersSearch } from './features/users/search.ts';
import { validateDeliverySearch, webhooksQuery } from './features/users/webhooks/api.ts';
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

/** The page's address before version 0.3. */
const formerTypesRoute = createRoute({
  getParentRoute: () => tablesRoute,
  path: '/types',
  beforeLoad: () => {
    throw redirect({ to: '/database/types', replace: true });
  },
});

const diagramRoute = createRoute({
  getParentRoute: () => tablesRoute,
  ...pageAt('/tables/diagram'),
  validateSearch: validateDiagramSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(diagramQuery),
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

const userWebhooksRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/users/webhooks'),
  validateSearch: validateDeliverySearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(webhooksQuery),
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

const agentsRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/agents'),
});

const authorizeRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/authorize'),
  validateSearch: validateAuthorizeSearch,
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

const historyRoute = createRoute({
  getParentRoute: () => queriesRoute,
  ...pageAt('/queries/history'),
  validateSearch: validateHistorySearch,
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

const alertsRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/alerts'),
});

const branchesRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/branches'),
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

const graphqlRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/graphql'),
  validateSearch: validateAs,
  loader: ({ context }) => void context.queryClient.prefetchQuery(graphqlQuery),
});

const auditRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/audit'),
  validateSearch: validateAuditSearch,
});

const undoRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/undo'),
  validateSearch: validateUndoSearch,
});

const undoEntryRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/undo/$id'),
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

const databaseRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/database'),
});

const databaseIndexRoute = createRoute({
  getParentRoute: () => databaseRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: pages['/database'].redirect, replace: true });
  },
});

const databaseFunctionsRoute = createRoute({
  getParentRoute: () => databaseRoute,
  ...pageAt('/database/functions'),
  validateSearch: validateObjectSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(routinesQuery),
});

const triggersRoute = createRoute({
  getParentRoute: () => databaseRoute,
  ...pageAt('/database/triggers'),
  validateSearch: validateObjectSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(triggersQuery),
});

const viewsRoute = createRoute({
  getParentRoute: () => databaseRoute,
  ...pageAt('/database/views'),
  validateSearch: validateObjectSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(viewsQuery),
});

const indexesRoute = createRoute({
  getParentRoute: () => databaseRoute,
  ...pageAt('/database/indexes'),
  validateSearch: validateIndexSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(indexesQuery),
});

const typesRoute = createRoute({
  getParentRoute: () => databaseRoute,
  ...pageAt('/database/types'),
  validateSearch: validateObjectSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(typesQuery),
});

const sequencesRoute = createRoute({
  getParentRoute: () => databaseRoute,
  ...pageAt('/database/sequences'),
  validateSearch: validateObjectSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(sequencesQuery),
});

const rolesRoute = createRoute({
  getParentRoute: () => databaseRoute,
  ...pageAt('/database/roles'),
  validateSearch: validateRolesSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(rolesQuery),
});

const grantsRoute = createRoute({
  getParentRoute: () => databaseRoute,
  ...pageAt('/database/grants'),
  validateSearch: validateGrantsSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(grantsQuery),
});

const defaultPrivilegesRoute = createRoute({
  getParentRoute: () => databaseRoute,
  ...pageAt('/database/default-privileges'),
  loader: ({ context }) => void context.queryClient.prefetchQuery(defaultPrivilegesQuery),
});

const publicationsRoute = createRoute({
  getParentRoute: () => databaseRoute,
  ...pageAt('/database/publications'),
  loader: ({ context }) => void context.queryClient.prefetchQuery(publicationsQuery),
});

const eventTriggersRoute = createRoute({
  getParentRoute: () => databaseRoute,
  ...pageAt('/database/event-triggers'),
  loader: ({ context }) => void context.queryClient.prefetchQuery(eventTriggersQuery),
});

const foreignServersRoute = createRoute({
  getParentRoute: () => databaseRoute,
  ...pageAt('/database/foreign-servers'),
  loader: ({ context }) => void context.queryClient.prefetchQuery(foreignServersQuery),
});

const extensionsRoute = createRoute({
  getParentRoute: () => databaseRoute,
  ...pageAt('/database/extensions'),
  validateSearch: validateExtensionsSearch,
  loader: ({ context }) => void context.queryClient.prefetchQuery(extensionsQuery),
});

/** The page's address before version 0.3. */
const formerExtensionsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: '/extensions',
  validateSearch: validateExtensionsSearch,
  beforeLoad: ({ search }) => {
    throw redirect({ to: '/database/extensions', search, replace: true });
  },
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

const replayRoute = createRoute({
  getParentRoute: () => appRoute,
  ...pageAt('/replay'),
  validateSearch: validateReplaySearch,
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
    tablesRoute.addChildren([
      tablesIndexRoute,
      tableRoute,
      structureRoute,
      newTableRoute,
      formerTypesRoute,
      diagramRoute,
    ]),
    usersRoute,
    ssoRoute,
    userWebhooksRoute,
    storageRoute,
    functionsRoute,
    realtimeRoute,
    jobsRoute.addChildren([jobsIndexRoute, cronRoute, webhooksRoute, requestsRoute, queuesRoute]),
    inboxRoute,
    sqlRoute,
    policiesRoute,
    formerExtensionsRoute,
    databaseRoute.addChildren([
      databaseIndexRoute,
      databaseFunctionsRoute,
      triggersRoute,
      viewsRoute,
      indexesRoute,
      typesRoute,
      sequencesRoute,
      rolesRoute,
      grantsRoute,
      defaultPrivilegesRoute,
      publicationsRoute,
      eventTriggersRoute,
      foreignServersRoute,
      extensionsRoute,
    ]),
    advisorsRoute,
    migrationsRoute,
    whyRoute,
    replayRoute,
    agentsRoute,
    authorizeRoute,
    operatorsRoute,
    auditRoute,
    undoRoute,
    undoEntryRoute,
    referenceRoute,
    graphqlRoute,
    settingsRoute,
    keysRoute,
    logsRoute,
    metricsRoute,
    queriesRoute.addChildren([queriesIndexRoute, statementsRoute, historyRoute, activityRoute]),
    backupsRoute,
    alertsRoute,
    branchesRoute,
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
