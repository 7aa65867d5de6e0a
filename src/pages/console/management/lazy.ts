/** Loads the Management API's operations with the first call, because most servers start without one. */
import type { Management, ManagementDeps } from './calls.ts';

export function createLazyManagement(deps: ManagementDeps): Management {
  let loading: Promise<Management> | undefined;
  const get = (): Promise<Management> => {
    loading ??= import('./calls.ts').then(({ createManagement }) => createManagement(deps));
    return loading;
  };
  return {
    checkRole: async (name, caller) => (await get()).checkRole(name, caller),
    call: async (name, input, caller, ref) => (await get()).call(name, input, caller, ref),
    checkRef: async (ref) => (await get()).checkRef(ref),
  };
}
