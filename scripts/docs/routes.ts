/**
 * Generates section 2 of the specification from the routes of a running backend, and from lists of the routes that
 * wildcards handle.
 */
import { pageNames } from '../../src/pages/account/routes/page-names.ts';
import type { Route } from '../../src/server/gateway/index.ts';
import { pages } from '../../web/console/pages.ts';
import { code, table } from './markdown.ts';

/** The routes that wildcard handlers serve. A test sends a request to each of these routes. */
export const wildcards: readonly { readonly path: string; readonly methods: readonly string[] }[] = [
  { path: '/rest/v1/', methods: ['GET', 'HEAD'] },
  { path: '/rest/v1/{relation}', methods: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'] },
  { path: '/rest/v1/rpc/{function}', methods: ['GET', 'HEAD', 'POST', 'OPTIONS'] },
];

export const inboxRoutes: readonly { readonly path: string; readonly methods: readonly string[] }[] = [
  { path: '/', methods: ['GET'] },
  { path: '/api/v1/info', methods: ['GET'] },
  { path: '/api/v1/message/{id}', methods: ['GET'] },
  { path: '/api/v1/message/{id}/headers', methods: ['GET'] },
  { path: '/api/v1/message/{id}/raw', methods: ['GET'] },
  { path: '/api/v1/messages', methods: ['GET', 'PUT', 'DELETE'] },
  { path: '/api/v1/search', methods: ['GET', 'DELETE'] },
  { path: '/livez', methods: ['GET'] },
  { path: '/readyz', methods: ['GET'] },
  { path: '/view/{id}.html', methods: ['GET'] },
  { path: '/view/{id}.txt', methods: ['GET'] },
];

const sectionTitles: readonly (readonly [prefix: string, title: string])[] = [
  ['/auth/v1', 'Auth'],
  ['/rest/v1', 'REST'],
  ['/rest-admin/v1', 'REST health checks for load balancers'],
  ['/realtime/v1', 'Realtime'],
  ['/storage/v1', 'Storage'],
  ['/functions/v1', 'Functions'],
  ['/account', 'Account'],
  ['/console', 'Console'],
  ['/v1', "Management API (on the Console's port)"],
  ['/v2', "Management API, version 2 (on the Console's port)"],
  ['/mcp', "MCP (on the Console's port)"],
  ['/oauth', "OAuth for MCP clients (on the Console's port)"],
  ['/', 'Other paths'],
];

const methodOrder = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'];

/** Lists routes by path, so that the order in which the modules register them doesn't change the document. */
export function routesBlock(routes: readonly Route[]): string {
  const left = new Map<string, Set<string>>();
  for (const { method, path } of routes) {
    const shown = path.replace(/:([A-Za-z]+)/g, '{$1}').replace(/(?<=.)\/$/, '');
    left.set(shown, (left.get(shown) ?? new Set()).add(method));
  }
  const sections = sectionTitles.map(([prefix, title]) => {
    const own = [...left]
      .filter(([path]) => prefix === '/' || path === prefix || path.startsWith(`${prefix}/`))
      .sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [path] of own) left.delete(path);
    const rows = own
      .filter(([, methods]) => !methods.has('*'))
      .map(([path, methods]) => row(path, [...methods].sort(byMethod)));
    const taken = wildcards.filter(({ path }) => path.startsWith(`${prefix}/`));
    rows.push(...taken.map(({ path, methods }) => row(path, methods)));
    if (prefix === '/functions/v1') rows.push(row('/functions/v1/{slug}/…', ['all', 'WebSocket']));
    if (prefix === '/realtime/v1') rows.push(row('/realtime/v1/websocket', ['WebSocket']));
    return `#### ${title}\n\n${table(['Path', 'Methods'], rows)}`;
  });
  const inbox = table(
    ['Path', 'Methods'],
    inboxRoutes.map(({ path, methods }) => row(path, methods)),
  );
  return [...sections, `#### Captured mail (separate port)\n\n${inbox}`].join('\n\n');
}

const byMethod = (one: string, other: string): number =>
  methodOrder.indexOf(one) - methodOrder.indexOf(other) || (one < other ? -1 : 1);

const row = (path: string, methods: readonly string[]): string[] => [code(path), methods.join(', ')];

export const accountPagesBlock = (): string =>
  table(
    ['Page'],
    pageNames.map((name) => [code(`/account/${name}`)]),
  );

export function consolePagesBlock(): string {
  const paths = Object.keys(pages).map((path) =>
    `/console${path}`.replace(/\/$/, '').replace(/\$(\w+)/g, '{$1}'),
  );
  return table(
    ['Page'],
    [...new Set(paths)].map((path) => [code(path)]),
  );
}
