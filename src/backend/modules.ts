/** The modules that need the database. */
import type { MigrationSet } from '../database/types.ts';

/** Loading a module blocks the thread, so the modules are loaded while PostgreSQL starts. */
export async function loadModules() {
  const [
    backup,
    auth,
    rest,
    realtime,
    storage,
    functions,
    mail,
    jobs,
    account,
    consoleModule,
    gateway,
    project,
    tls,
  ] = await Promise.all([
    import('../backup/index.ts'),
    import('../auth/index.ts'),
    import('../rest/index.ts'),
    import('../realtime/index.ts'),
    import('../storage/index.ts'),
    import('../functions/index.ts'),
    import('../mail/index.ts'),
    import('../jobs/index.ts'),
    import('../account/index.ts'),
    import('../console/index.ts'),
    import('../gateway/index.ts'),
    import('../project/index.ts'),
    import('../tls/index.ts'),
  ]);
  return {
    backup,
    auth,
    rest,
    realtime,
    storage,
    functions,
    mail,
    jobs,
    account,
    console: consoleModule,
    gateway,
    project,
    tls,
  };
}

export type Modules = Awaited<ReturnType<typeof loadModules>>;

/** The modules whose tables are created, in order of creation. */
export const migrationSets = (modules: Modules): MigrationSet[] =>
  [
    modules.auth,
    modules.storage,
    modules.realtime,
    modules.mail,
    modules.account,
    modules.console,
    modules.project,
  ].map(({ migrations }) => migrations);
