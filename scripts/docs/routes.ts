/** Section 2 of the specification: the routes registered by a running backend, and lists for wildcard routes. */
import { readFileSync } from 'node:fs';
import { pageNames } from '../../src/account/routes/page-names.ts';
import type { Route } from '../../src/gateway/index.ts';
import { code, table } from './markdown.ts';

/** The routes behind wildcard handlers. A test sends a request to each of them. */
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
  ['/', 'Other paths'],
];

export function routesBlock(routes: readonly Route[]): string {
  const left = new Map<string, Set<string>>();
  for (const { method, path } of routes) {
    const shown = path.replace(/:([A-Za-z]+)/g, '{$1}').replace(/(?<=.)\/$/, '');
    left.set(shown, (left.get(shown) ?? new Set()).add(method));
  }
  const sections = sectionTitles.map(([prefix, title]) => {
    const own = [...left].filter(
      ([path]) => prefix === '/' || path === prefix || path.startsWith(`${prefix}/`),
    );
    for (const [path] of own) left.delete(path);
    const rows = own
      .filter(([, methods]) => !methods.has('*'))
      .map(([path, methods]) => row(path, [...methods]));
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

const row = (path: string, methods: readonly string[]): string[] => [code(path), methods.join(', ')];

export const accountPagesBlock = (): string =>
  table(
    ['Page'],
    pageNames.map((name) => [code(`/account/${name}`)]),
  );

/** Reads the Console's paths from the source of its router, which can't be imported outside the browser build. */
export function consolePagesBlock(): string {
  const source = readFileSync(new URL('../../web/console/router.tsx', import.meta.url), 'utf8');
  const route = /const (\w+) = createRoute\(\{\s*getParentRoute: \(\) => (\w+),\s*(path|id): '([^']*)'/g;
  const known = new Map([['rootRoute', '/console']]);
  const pages = new Set<string>();
  for (const [, name = '', parent = '', kind, path = ''] of source.matchAll(route)) {
    const above = known.get(parent);
    if (above === undefined)
      throw new Error(`web/console/router.tsx: ${name} comes before its parent ${parent}.`);
    const full = kind === 'id' || path === '/' ? above : `${above}${path}`;
    known.set(name, full);
    if (kind === 'path') pages.add(full.replace(/\$(\w+)/g, '{$1}'));
  }
  if (pages.size === 0)
    throw new Error('web/console/router.tsx declares no route that scripts/docs/routes.ts can read.');
  return table(
    ['Page'],
    [...pages].map((page) => [code(page)]),
  );
}
