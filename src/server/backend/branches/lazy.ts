/** Loads the code of branches when it is first needed, because most servers have no branches. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BranchError, branchesFolder } from '../../../base/shared/branches.ts';
import type { BranchesService } from './branches.ts';

export function createLazyBranches(load: () => Promise<BranchesService>, dataDir: string): BranchesService {
  let loaded: BranchesService | undefined;
  let loading: Promise<BranchesService> | undefined;
  const get = (): Promise<BranchesService> => {
    loading ??= load()
      .then(async (service) => {
        await service.start();
        loaded = service;
        return service;
      })
      .catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
    return loading;
  };
  const known = (): BranchesService => {
    if (loaded === undefined) throw new BranchError('unknown');
    return loaded;
  };
  return {
    list: () => loaded?.list() ?? [],
    find: (id) => known().find(id),
    create: async (branch, by) => (await get()).create(branch, by),
    change: (id, change) => known().change(id, change),
    remove: async (id) => known().remove(id),
    reset: async (id, version) => known().reset(id, version),
    manage: async (id, name, input, operator) => known().manage(id, name, input, operator),
    status: async (id) => known().status(id),
    signInLink: async (id, operator) => known().signInLink(id, operator),
    operatorsChanged: async () => loaded?.operatorsChanged(),
    start: async () => {
      if (existsSync(join(dataDir, branchesFolder))) await get();
    },
    // A creation that loads the code may be in progress.
    stop: async () => (await loading?.catch(() => undefined))?.stop(),
  };
}
