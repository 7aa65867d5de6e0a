/** The route that searches the whole project. */
import { PassThrough } from 'node:stream';
import type { Logger } from '../../../base/kernel/log.ts';
import { disconnected } from '../core/disconnect.ts';
import { ConsoleError } from '../errors.ts';
import type { Api } from '../routes/api.ts';
import type { SearchGroup, SearchLine } from './contract.ts';
import { finders } from './groups.ts';
import { type Found, groupTimeoutMs, type SearchDeps, type SearchInput } from './input.ts';

/** The maximum number of groups for which a search uses the database concurrently. */
const maxConcurrent = 2;
/**
 * The maximum number of concurrent searches. While an operator is typing, each new search cancels the operator's
 * previous search.
 */
const maxSearches = 10;
/** The additional time to wait after PostgreSQL's own timeout. */
const graceMs = 200;

export function searchRoutes(api: Api, deps: SearchDeps & { readonly log: Logger }): void {
  const route = api.feature(() => import('./contract.ts'));
  let running = 0;

  route('GET /search', 'read', async (call) => {
    const { search } = await call.query();
    if (running >= maxSearches) throw new ConsoleError('busy', { waitSeconds: 1 });
    const signal = disconnected(call.reply.raw);
    const lines = new PassThrough();
    lines.on('error', () => undefined);
    running++;
    void searchAll({ search, role: call.operator.role, signal }, (line) => {
      lines.write(`${JSON.stringify(line)}\n`);
    }).finally(() => {
      running--;
      lines.end();
    });
    return call.reply.type('application/x-ndjson; charset=utf-8').send(lines);
  });

  async function searchAll(input: SearchInput, emit: (line: SearchLine) => void): Promise<void> {
    const waiting = Object.keys(finders) as SearchGroup[];
    async function work(): Promise<void> {
      for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
        if (input.signal.aborted) return;
        emit({ group, ...(await oneGroup(group, input)) });
      }
    }
    await Promise.all(Array.from({ length: maxConcurrent }, work));
  }

  /**
   * Searches a group. If the search for a group fails or takes too long, the group has no results, so the other groups
   * aren't affected.
   */
  async function oneGroup(group: SearchGroup, input: SearchInput): Promise<Found> {
    const late = AbortSignal.timeout(groupTimeoutMs + graceMs);
    const signal = AbortSignal.any([input.signal, late]);
    const { promise: ended, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    try {
      return await Promise.race([finders[group](deps, { ...input, signal }), ended]);
    } catch (error) {
      if (!signal.aborted) deps.log.debug({ group, error }, 'a part of a search failed');
      return { hits: [], isPartial: true };
    }
  }
}
