/** The modules that need the database. */
import type { MigrationSet } from '../database/types.ts';

/** Loads the modules while PostgreSQL starts, because loading them blocks the thread. */
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

/** Returns the migrations of the modules that create tables, in the order in which they are applied. */
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
