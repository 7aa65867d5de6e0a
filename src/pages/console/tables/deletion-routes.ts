/** The routes that show the effects of a deletion and restore deleted rows. */
import type { Audit } from '../audit.ts';
import type { Api } from '../routes/api.ts';
import { type Access, nameOf, personaOf } from './access.ts';
import { identifying } from './core/identity.ts';
import { deleteEffects, isRestorable, restoreRows } from './deletion.ts';
import { reading, writing } from './timing.ts';

/** The maximum number of row keys that are recorded in the audit log. */
const shownKeys = 100;

export function deletionRoutes(api: Api, { access, audit }: { access: Access; audit: Audit }): void {
  const route = api.feature(() => import('./contract.ts'));

  route('POST /tables/:schema/:table/delete-effects', 'write', async (call) => {
    const { scope } = await call.body();
    const relation = await access.relation(call);
    const restorable = await access.run(call, (tx) => isRestorable(tx, relation, scope), reading);
    // Foreign keys affect all rows, including rows that the persona can't see.
    const effects = await access.runAsOperator(call, (tx) => deleteEffects(tx, relation, scope), reading);
    return { effects, restorable };
  });
  route('POST /tables/:schema/:table/restore', 'write', async (call) => {
    const deleted = await call.body();
    const relation = await access.relation(call);
    const restored = await access.run(call, (tx) => restoreRows(tx, relation, deleted), writing);
    const names = identifying(relation).filter((name) => deleted.columns.includes(name));
    await audit(call, 'row.restore', nameOf(relation), {
      count: restored,
      keys: deleted.rows
        .slice(0, shownKeys)
        .map((row) => Object.fromEntries(names.map((name) => [name, row[deleted.columns.indexOf(name)]]))),
      ...personaOf(call),
    });
    return { restored };
  });
}
