/** The routes of the branches page, which call the Management API's operations with the operator's role. */
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import type { Management } from '../management/calls.ts';
import type { Caller } from '../management/handlers.ts';
import type { ManagementCallName } from '../management/inputs.ts';
import { type Api, fresh } from '../routes/api.ts';
import type { BranchRow } from './contract.ts';
import type { Branch, Branches } from './types.ts';

export interface BranchRoutesDeps {
  /** Undefined if this server can't have branches. */
  readonly branches: Branches | undefined;
  readonly management: Pick<Management, 'call'>;
  readonly database: { readonly info: { readonly embedded: boolean } };
  readonly audit: Audit;
}

interface Plan {
  readonly migrations: readonly {
    readonly version: string;
    readonly name: string;
    readonly statements: readonly string[];
  }[];
  readonly functions: readonly string[];
  readonly unrecorded: string | null;
}

export function branchRoutes(api: Api, { branches, management, database, audit }: BranchRoutesDeps): void {
  const route = api.feature(() => import('./contract.ts'));
  const run = async <T>(name: ManagementCallName, input: object, by: Caller): Promise<T> =>
    (await refusing(management.call(name, input, by))) as T;

  route('GET /branches', 'read', async () => ({
    isAvailable: branches !== undefined,
    canCopy: database.info.embedded,
    branches: (branches?.list() ?? []).map(rowOf),
  }));
  route('POST /branches', 'write', async ({ body, operator, request }) => {
    const { name, data, isPersistent } = await body();
    const wanted = {
      branch_name: name,
      with_data: data !== 'none',
      ...(data === 'none' ? {} : { mask: data === 'masked' }),
      persistent: isPersistent,
    };
    const { id } = await run<{ id: string }>('createBranch', wanted, { operator, request });
    return { id };
  });
  route('DELETE /branches/:id', 'write', async ({ params: { id }, operator, request }) => {
    await run('deleteBranch', { id }, { operator, request });
  });
  route('POST /branches/:id/reset', 'write', async ({ params: { id }, operator, request }) => {
    await run('resetBranch', { id }, { operator, request });
  });
  route('POST /branches/:id/rebase', 'write', async ({ params: { id }, operator, request }) => {
    const applied = await run<{ migrations: unknown[] }>('pushBranch', { id }, { operator, request });
    return { migrations: applied.migrations.length };
  });
  route('GET /branches/:id/merge', 'secrets', async ({ params: { id }, operator, request }) => {
    const plan = await run<Plan>('planMerge', { id }, { operator, request });
    return {
      migrations: plan.migrations.map(({ version, name, statements }) => ({
        version,
        name,
        sql: `${statements.join(';\n\n')};`,
      })),
      functions: plan.functions,
      unrecorded: plan.unrecorded ?? '',
    };
  });
  // Functions of the branch then run with the project's keys, as other deployed functions do.
  route('POST /branches/:id/merge', fresh('write'), async ({ params: { id }, operator, request }) => {
    await run('mergeBranch', { id }, { operator, request });
  });
  route(
    'POST /branches/:id/link',
    // The session in the branch, with all of its keys and data, outlives the operator's session here.
    fresh('read'),
    async ({ params: { id }, operator, request }) => {
      if (branches === undefined)
        throw new ConsoleError('refused', { message: 'This server has no branches.' });
      const { name, ref } = await refusing((async () => branches.find(id))());
      const url = await refusing(branches.signInLink(id, operator));
      await audit({ operator, request }, 'branch.open', name, { ref });
      return { url };
    },
    // The link leads to another server, where the operator has the same role.
    { changes: 'nothing' },
  );
}

/** Converts the errors of branches and of the Management API. Other errors are internal. */
async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { name, message } = error as Error;
    if (name !== 'BranchError' && name !== 'ManagementError') throw error;
    throw new ConsoleError('refused', { message });
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

const rowOf = (branch: Branch): BranchRow => ({
  id: branch.id,
  name: branch.name,
  ref: branch.ref,
  gitBranch: branch.gitBranch ?? null,
  state:
    branch.status === 'CREATING_PROJECT'
      ? 'creating'
      : branch.problem !== undefined
        ? 'failed'
        : branch.isRunning
          ? 'running'
          : 'idle',
  problem: branch.problem ?? null,
  withData: branch.withData,
  isMasked: branch.isMasked,
  isPersistent: branch.isPersistent,
  createdBy: branch.createdBy,
  createdAt: isoOf(branch.createdAt),
  deletedAt: branch.deletedAt === undefined ? null : isoOf(branch.deletedAt),
  apiUrl: branch.apiUrl,
});
