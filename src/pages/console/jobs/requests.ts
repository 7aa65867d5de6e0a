/** Lists the requests that were queued by SQL and their responses, and cancels requests that haven't been sent. */
import { may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, parseAs } from '../routes/api.ts';
import type { Parts } from './contract.ts';
import { shownPairs, shownUrl } from './core/shown.ts';
import { type JobDeps, readParts } from './parts.ts';
import * as queries from './request-queries.ts';

export const requestsPerPage = 50;
/** The maximum size in bytes of a request or response body shown on a page. */
export const shownBodyBytes = 65_536;
/** Requests are counted only up to this number. */
const maxCounted = 10_000;

const contract = () => import('./contract.ts');

export function requestRoutes(api: Api, { database, audit }: JobDeps): void {
  const route = api.feature(contract);
  const pool = database.pool('postgres');

  /** Checks that pg_net is enabled. @throws {ConsoleError} refused */
  async function requireNet(): Promise<Parts> {
    const parts = await readParts(pool);
    if (parts.net !== 'ready') throw new ConsoleError('refused', { message: "pg_net isn't enabled." });
    return parts;
  }
  const gone = () => new ConsoleError('not_found', { message: "This request doesn't exist." });

  route('GET /jobs/requests/waiting', 'read', async (call) => {
    const { before } = await call.query();
    const { hooks } = await requireNet();
    const maySee = may(call.operator.role, 'secrets');
    const rows = await queries.listPending(pool, hooks, before, requestsPerPage + 1);
    return {
      count: await queries.countPending(pool, maxCounted),
      requests: rows.slice(0, requestsPerPage).map(({ headers, url, ...row }) => ({
        ...row,
        url: shownUrl(url, maySee),
        headers: shownPairs(headers, false),
      })),
      more: rows.length > requestsPerPage,
    };
  });
  route('GET /jobs/requests/waiting/:id', 'secrets', async ({ request }) => {
    const { id } = await parseAs((await contract()).idParam, request.params);
    await requireNet();
    const row = await queries.findPending(pool, id, shownBodyBytes);
    if (row === undefined) throw gone();
    return { ...row, headers: shownPairs(row.headers, true), body: row.body?.toString('utf8') ?? null };
  });
  route('DELETE /jobs/requests/waiting/:id', 'write', async (call) => {
    const { id } = await parseAs((await contract()).idParam, call.request.params);
    await requireNet();
    if (!(await queries.deletePending(pool, id))) throw gone();
    await audit(call, 'request.cancel', id);
  });
  route('GET /jobs/requests/answered', 'read', async (call) => {
    const filter = await call.query();
    const { hooks } = await requireNet();
    const maySee = may(call.operator.role, 'secrets');
    const rows = await queries.listCompleted(pool, hooks, filter, requestsPerPage + 1);
    return {
      kept: await queries.readTtl(pool),
      // All operators can see that a request failed, but the error message may come from another server and contain
      // secrets.
      requests: rows.slice(0, requestsPerPage).map((row) => (maySee ? row : { ...row, error: null })),
      more: rows.length > requestsPerPage,
    };
  });
  route('GET /jobs/requests/answered/:id', 'secrets', async ({ request }) => {
    const { id } = await parseAs((await contract()).idParam, request.params);
    await requireNet();
    const row = await queries.findCompleted(pool, id, shownBodyBytes);
    if (row === undefined) throw gone();
    return { ...row, headers: shownPairs(row.headers, true) };
  });
}
