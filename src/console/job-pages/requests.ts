/** Requests that SQL asked for: what waits to be sent, what came back, and taking one out of the queue. */
import type { Database } from '../../database/types.ts';
import type { Audit } from '../audit.ts';
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, parse } from '../routes/api.ts';
import { shownPairs, shownUrl } from './core/shown.ts';
import { type Parts, readParts } from './parts.ts';
import * as queries from './request-queries.ts';

/** Requests in one answer. */
export const requestsPerPage = 50;
/** Of a request's or an answer's body; nobody reads more of it on a page. */
export const shownBodyBytes = 65_536;
/** Beyond it the queue is just long. */
const mostCounted = 10_000;

export function requestRoutes(api: Api, database: Database, audit: Audit): void {
  const pool = database.pool('postgres');

  /** @throws {ConsoleError} refused */
  async function requireNet(): Promise<Parts> {
    const parts = await readParts(pool);
    if (parts.net !== 'ready') throw new ConsoleError('refused', { message: 'pg_net is not enabled.' });
    return parts;
  }
  const gone = () => new ConsoleError('not_found', { message: 'There is no such request (any more).' });

  api.route('GET', '/jobs/requests/waiting', 'read', async (call) => {
    const { before } = await parse('waitingPage', call.request.query);
    const { hooks } = await requireNet();
    const maySee = may(call.operator.role, 'secrets');
    const rows = await queries.listWaiting(pool, hooks, before, requestsPerPage + 1);
    return {
      count: await queries.countWaiting(pool, mostCounted),
      requests: rows.slice(0, requestsPerPage).map(({ headers, url, ...row }) => ({
        ...row,
        url: shownUrl(url, maySee),
        headers: shownPairs(headers, false),
      })),
      more: rows.length > requestsPerPage,
    };
  });
  api.route('GET', '/jobs/requests/waiting/:id', 'secrets', async ({ request }) => {
    const { id } = await parse('idParam', request.params);
    await requireNet();
    const row = await queries.findWaiting(pool, id, shownBodyBytes);
    if (row === undefined) throw gone();
    return { ...row, headers: shownPairs(row.headers, true), body: row.body?.toString('utf8') ?? null };
  });
  api.route('DELETE', '/jobs/requests/waiting/:id', 'write', async (call) => {
    const { id } = await parse('idParam', call.request.params);
    await requireNet();
    if (!(await queries.deleteWaiting(pool, id))) throw gone();
    await audit(call, 'request.cancel', id);
  });
  api.route('GET', '/jobs/requests/answered', 'read', async (call) => {
    const filter = await parse('answeredPage', call.request.query);
    const { hooks } = await requireNet();
    const maySee = may(call.operator.role, 'secrets');
    const rows = await queries.listAnswered(pool, hooks, filter, requestsPerPage + 1);
    return {
      kept: await queries.readTtl(pool),
      requests: rows.slice(0, requestsPerPage).map((row) => (maySee ? row : { ...row, error: null })),
      // Whether it failed is no secret; what the other side said is.
      more: rows.length > requestsPerPage,
    };
  });
  api.route('GET', '/jobs/requests/answered/:id', 'secrets', async ({ request }) => {
    const { id } = await parse('idParam', request.params);
    await requireNet();
    const row = await queries.findAnswered(pool, id, shownBodyBytes);
    if (row === undefined) throw gone();
    return { ...row, headers: shownPairs(row.headers, true) };
  });
}
