/**
 * Defines all pages of the Console by route path. The router, the menu, the shortcuts and the early requests use this
 * table. This file imports only types, because the build reads the file in Node.
 */
import type { TextId } from './text.ts';

export interface Page {
  /** The page's file below `web/console/`. The router finds files that are named `page.tsx` or `*-page.tsx`. */
  readonly module: `features/${string}page.tsx`;
  /** The component that the module exports. */
  readonly component: string;
  /** The path of the page that contains this page. */
  readonly parent?: string;
  /** The child page that `path` redirects to. */
  readonly redirect?: string;
  /** Modules that are loaded lazily but are needed when the page is first rendered. */
  readonly lazy?: readonly string[];
  /** The page's entry in the menu. Pressing "g" and then `key` opens the page. */
  readonly menu?: {
    readonly label: TextId;
    readonly key: string;
    readonly group?: MenuGroup;
    /** Other words by which the palette finds the page. */
    readonly words?: TextId;
  };
}

/** The groups of the menu in order. The home page is above all groups. */
export const menuGroups = ['data', 'services', 'operations', 'project'] as const;
export type MenuGroup = (typeof menuGroups)[number];

/**
 * The pages in the order of the menu. A path that ends in a slash is the index page of its parent, as in TanStack
 * Router.
 */
export const pages = {
  '/sign-in': { module: 'features/sign-in/page.tsx', component: 'SignInPage' },
  '/': {
    module: 'features/home/page.tsx',
    component: 'HomePage',
    menu: { label: 'nav.home', key: 'h' },
  },
  '/tables': {
    module: 'features/tables/list/tables-page.tsx',
    component: 'TablesPage',
    menu: { label: 'nav.tables', key: 't', group: 'data' },
  },
  '/tables/': { parent: '/tables', module: 'features/tables/list/tables-page.tsx', component: 'NoTable' },
  '/tables/new': {
    parent: '/tables',
    module: 'features/tables/schema/new-table-page.tsx',
    component: 'NewTablePage',
  },
  '/tables/diagram': {
    parent: '/tables',
    module: 'features/tables/diagram/diagram-page.tsx',
    component: 'DiagramPage',
  },
  '/tables/$schema/$table': {
    parent: '/tables',
    module: 'features/tables/rows/table-page.tsx',
    component: 'TablePage',
  },
  '/tables/$schema/$table/structure': {
    parent: '/tables',
    module: 'features/tables/schema/structure-page.tsx',
    component: 'StructurePage',
  },
  '/sql': {
    module: 'features/sql/page.tsx',
    component: 'SqlPage',
    lazy: ['components/editor/sql-editor.tsx'],
    menu: { label: 'nav.sql', key: 's', group: 'data' },
  },
  '/policies': {
    module: 'features/policies/page.tsx',
    component: 'PoliciesPage',
    menu: { label: 'nav.policies', key: 'p', group: 'data' },
  },
  '/database': {
    module: 'features/database/page.tsx',
    component: 'DatabasePage',
    redirect: '/database/functions',
    menu: { label: 'nav.database', key: 'z', group: 'data' },
  },
  '/database/functions': {
    parent: '/database',
    module: 'features/database/functions/page.tsx',
    component: 'DatabaseFunctionsPage',
  },
  '/database/triggers': {
    parent: '/database',
    module: 'features/database/triggers/page.tsx',
    component: 'TriggersPage',
  },
  '/database/views': {
    parent: '/database',
    module: 'features/database/views/page.tsx',
    component: 'ViewsPage',
  },
  '/database/indexes': {
    parent: '/database',
    module: 'features/database/indexes/page.tsx',
    component: 'IndexesPage',
  },
  '/database/types': {
    parent: '/database',
    module: 'features/database/objects/types-page.tsx',
    component: 'TypesPage',
  },
  '/database/sequences': {
    parent: '/database',
    module: 'features/database/objects/sequences-page.tsx',
    component: 'SequencesPage',
  },
  '/database/roles': {
    parent: '/database',
    module: 'features/database/access/roles-page.tsx',
    component: 'RolesPage',
  },
  '/database/grants': {
    parent: '/database',
    module: 'features/database/access/grants-page.tsx',
    component: 'GrantsPage',
  },
  '/database/default-privileges': {
    parent: '/database',
    module: 'features/database/access/defaults-page.tsx',
    component: 'DefaultPrivilegesPage',
  },
  '/database/publications': {
    parent: '/database',
    module: 'features/database/objects/publications-page.tsx',
    component: 'PublicationsPage',
  },
  '/database/event-triggers': {
    parent: '/database',
    module: 'features/database/objects/event-triggers-page.tsx',
    component: 'EventTriggersPage',
  },
  '/database/foreign-servers': {
    parent: '/database',
    module: 'features/database/objects/foreign-servers-page.tsx',
    component: 'ForeignServersPage',
  },
  '/database/extensions': {
    parent: '/database',
    module: 'features/extensions/page.tsx',
    component: 'ExtensionsPage',
  },
  '/advisors': {
    module: 'features/advisors/page.tsx',
    component: 'AdvisorsPage',
    menu: { label: 'nav.advisors', key: 'v', group: 'data' },
  },
  '/undo': {
    module: 'features/undo/page.tsx',
    component: 'UndoPage',
    menu: { label: 'nav.undo', key: '3', group: 'data' },
  },
  '/undo/$id': { module: 'features/undo/entry-page.tsx', component: 'UndoEntryPage' },
  '/migrations': {
    module: 'features/migrations/page.tsx',
    component: 'MigrationsPage',
    menu: { label: 'nav.migrations', key: 'n', group: 'data' },
  },
  '/replay': { module: 'features/replay/page.tsx', component: 'ReplayPage' },
  '/why': {
    module: 'features/why/page.tsx',
    component: 'WhyPage',
    menu: { label: 'nav.why', key: 'w', group: 'data', words: 'nav.why-words' },
  },
  '/users': {
    module: 'features/users/page.tsx',
    component: 'UsersPage',
    menu: { label: 'nav.users', key: 'u', group: 'services' },
  },
  '/users/sso': { module: 'features/users/sso/page.tsx', component: 'SsoPage' },
  '/users/webhooks': { module: 'features/users/webhooks/page.tsx', component: 'UserWebhooksPage' },
  '/storage': {
    module: 'features/storage/page.tsx',
    component: 'StoragePage',
    menu: { label: 'nav.storage', key: 'b', group: 'services' },
  },
  '/functions': {
    module: 'features/functions/page.tsx',
    component: 'FunctionsPage',
    menu: { label: 'nav.functions', key: 'f', group: 'services' },
  },
  '/graphql': {
    module: 'features/graphql/page.tsx',
    component: 'GraphqlPage',
    lazy: ['features/graphql/ide.tsx'],
    menu: { label: 'nav.graphql', key: 'y', group: 'services' },
  },
  '/realtime': {
    module: 'features/realtime/page.tsx',
    component: 'RealtimePage',
    menu: { label: 'nav.realtime', key: 'r', group: 'services' },
  },
  '/jobs': {
    module: 'features/jobs/page.tsx',
    component: 'JobsPage',
    redirect: '/jobs/cron',
    menu: { label: 'nav.jobs', key: 'j', group: 'services' },
  },
  '/jobs/cron': { parent: '/jobs', module: 'features/jobs/cron/page.tsx', component: 'CronPage' },
  '/jobs/webhooks': { parent: '/jobs', module: 'features/jobs/webhooks/page.tsx', component: 'WebhooksPage' },
  '/jobs/requests': { parent: '/jobs', module: 'features/jobs/requests/page.tsx', component: 'RequestsPage' },
  '/jobs/queues': { parent: '/jobs', module: 'features/jobs/queues/page.tsx', component: 'QueuesPage' },
  '/inbox': {
    module: 'features/inbox/page.tsx',
    component: 'InboxPage',
    menu: { label: 'nav.inbox', key: 'i', group: 'services' },
  },
  '/logs': {
    module: 'features/logs/page.tsx',
    component: 'LogsPage',
    menu: { label: 'nav.logs', key: 'l', group: 'operations' },
  },
  '/metrics': {
    module: 'features/metrics/page.tsx',
    component: 'MetricsPage',
    menu: { label: 'nav.metrics', key: 'm', group: 'operations' },
  },
  '/queries': {
    module: 'features/queries/page.tsx',
    component: 'QueriesPage',
    redirect: '/queries/statements',
    menu: { label: 'nav.queries', key: 'q', group: 'operations' },
  },
  '/queries/statements': {
    parent: '/queries',
    module: 'features/queries/statements-page.tsx',
    component: 'StatementsPage',
  },
  '/queries/history': {
    parent: '/queries',
    module: 'features/queries/history-page.tsx',
    component: 'HistoryPage',
  },
  '/queries/activity': {
    parent: '/queries',
    module: 'features/queries/activity-page.tsx',
    component: 'ActivityPage',
  },
  '/alerts': {
    module: 'features/alerts/page.tsx',
    component: 'AlertsPage',
    menu: { label: 'nav.alerts', key: '2', group: 'operations' },
  },
  '/backups': {
    module: 'features/backups/page.tsx',
    component: 'BackupsPage',
    menu: { label: 'nav.backups', key: 'c', group: 'operations' },
  },
  '/branches': {
    module: 'features/branches/page.tsx',
    component: 'BranchesPage',
    menu: { label: 'nav.branches', key: '1', group: 'operations' },
  },
  '/nodes': {
    module: 'features/nodes/page.tsx',
    component: 'NodesPage',
    menu: { label: 'nav.nodes', key: 'x', group: 'operations' },
  },
  '/reference': {
    module: 'features/reference/page.tsx',
    component: 'ReferencePage',
    menu: { label: 'nav.api', key: 'd', group: 'project' },
  },
  '/keys': {
    module: 'features/keys/page.tsx',
    component: 'KeysPage',
    menu: { label: 'nav.keys', key: 'k', group: 'project' },
  },
  '/agents': {
    module: 'features/agents/page.tsx',
    component: 'AgentsPage',
    menu: { label: 'nav.agents', key: 'g', group: 'project' },
  },
  '/authorize': { module: 'features/agents/authorize-page.tsx', component: 'AuthorizePage' },
  '/operators': {
    module: 'features/operators/page.tsx',
    component: 'OperatorsPage',
    menu: { label: 'nav.operators', key: 'o', group: 'project' },
  },
  '/audit': {
    module: 'features/audit/page.tsx',
    component: 'AuditPage',
    menu: { label: 'nav.audit', key: 'a', group: 'project' },
  },
  '/settings': {
    module: 'features/settings/page.tsx',
    component: 'SettingsPage',
    menu: { label: 'nav.settings', key: 'e', group: 'project' },
  },
} as const satisfies Record<string, Page>;

export type PagePath = keyof typeof pages;

/** The paths of the pages in the menu. */
export type MenuPath = { [P in PagePath]: (typeof pages)[P] extends { menu: unknown } ? P : never }[PagePath];

/** A page's path relative to its parent, in the format that `createRoute` expects. */
export type RelativePath<P extends PagePath> = (typeof pages)[P] extends {
  parent: infer Parent extends string;
}
  ? P extends `${Parent}${infer Rest}`
    ? Rest
    : never
  : P;

export function relativePath<P extends PagePath>(path: P): RelativePath<P> {
  const { parent = '' }: Page = pages[path];
  return path.slice(parent.length) as RelativePath<P>;
}

/**
 * Returns the modules of each page, together with a pattern that matches the page's path. The modules include the
 * modules of the page's parent or redirect target.
 */
export function pageModules(): [pattern: string, modules: string[]][] {
  const table: Record<string, Page> = pages;
  return Object.entries(table)
    .filter(([path]) => path === '/' || !path.endsWith('/'))
    .map(([path, { parent, module, redirect, lazy = [] }]) => [
      `^${path.replace(/\/$/, '').replace(/\$\w+/g, '[^/]+')}/?$`,
      [table[parent ?? ''], { module }, table[redirect ?? '']]
        .flatMap((page) => (page === undefined ? [] : [page.module as string]))
        .concat(lazy),
    ]);
}
