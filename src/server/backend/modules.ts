/** The modules that need the database. */
import type { MigrationSet } from '../../platform/database/types.ts';

/**
 * Loads the modules while PostgreSQL starts, because loading them blocks the thread.
 *
 * @param options.hasBackups whether to load the module for backups, which is needed only if a backup target is configured
 */
export async function loadModules({ hasBackups = false }: { readonly hasBackups?: boolean } = {}) {
  const [
    backup,
    auth,
    rest,
    graphql,
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
    hasBackups ? import('../../operations/backup/index.ts') : undefined,
    import('../../services/auth/index.ts'),
    import('../../services/rest/index.ts'),
    import('../../services/graphql/index.ts'),
    import('../../services/realtime/index.ts'),
    import('../../services/storage/index.ts'),
    import('../../services/functions/index.ts'),
    import('../../services/mail/index.ts'),
    import('../../services/jobs/index.ts'),
    import('../../pages/account/index.ts'),
    import('../../pages/console/index.ts'),
    import('../gateway/index.ts'),
    import('../../project/folder/index.ts'),
    import('../tls/index.ts'),
  ]);
  return {
    backup,
    auth,
    rest,
    graphql,
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
