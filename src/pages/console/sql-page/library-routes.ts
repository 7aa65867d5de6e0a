/** The routes for saved queries and for the history of an operator's statements. */
import type { Audit } from '../audit.ts';
import type { AddRoute } from '../routes/api.ts';
import { parseAs } from '../routes/api.ts';
import type { contract } from './contract.ts';
import { changeSaved, createSaved, listSaved, removeSaved } from './library.ts';
import { type PrivateStore, sealOlderRows } from './private-text.ts';
import * as queries from './queries.ts';

const historyShown = 100;

export function libraryRoutes(route: AddRoute<typeof contract>, store: PrivateStore, audit: Audit): void {
  void sealOlderRows(store).catch(() => undefined);
  route('GET /sql/history', 'read', async ({ operator }) => ({
    entries: await queries.listHistory(store, operator.id, historyShown),
  }));
  route('DELETE /sql/history', 'read', async ({ operator }) => queries.clearHistory(store.db, operator.id), {
    changes: 'own session',
  });
  route('GET /sql/saved', 'read', async ({ operator }) => ({ saved: await listSaved(store, operator) }));
  route('POST /sql/saved', 'write', async (call) => {
    const saved = await createSaved(store, call.operator, await call.body());
    await audit(call, 'query.save', saved.isShared ? saved.name : '', { shared: saved.isShared });
    return saved;
  });
  route('PUT /sql/saved/:id', 'write', async (call) => {
    const saved = await changeSaved(store, call.operator, await idOf(call.request.params), await call.body());
    await audit(call, 'query.change', saved.isShared ? saved.name : '', {
      shared: saved.isShared,
      owner: saved.owner,
    });
    return saved;
  });
  route('DELETE /sql/saved/:id', 'write', async (call) => {
    const { name, owner, isShared } = await removeSaved(
      store,
      call.operator,
      await idOf(call.request.params),
    );
    await audit(call, 'query.remove', isShared ? name : '', { shared: isShared, owner });
  });
}

async function idOf(params: unknown): Promise<string> {
  return (await parseAs((await import('./contract.ts')).savedQueryParams, params)).id;
}
