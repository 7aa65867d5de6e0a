/** The parts of the server that only the Console uses. */
import { join, resolve } from 'node:path';
import { systemClock } from '../../base/kernel/clock.ts';
import { requireWithin } from '../../base/kernel/real-path.ts';
import type { ConsoleProject, ConsoleSite } from '../../pages/console/index.ts';
import type { Addresses } from './addresses.ts';
import type { ScratchBackend } from './drift.ts';
import type { Modules } from './modules.ts';
import type { BackendParts } from './parts.ts';
import { webDir } from './services.ts';

export const consoleSite = ({ consoleUrl, consolePublicUrl, scheme }: Addresses): ConsoleSite => ({
  url: consoleUrl,
  ownAddress: { publicUrl: consolePublicUrl, scheme },
  webDir,
});

/** Returns the project's folders and migrations. `openScratch` creates a backend with an empty database in a folder. */
export function consoleProject(
  parts: BackendParts,
  { project }: Modules,
  openScratch: (dataDir: string) => Promise<ScratchBackend>,
): ConsoleProject {
  const { database, live, keys, projectDir, supabaseDir, dataDir, mode, log, onProgress } = parts;
  const pool = database.pool('postgres');
  const deps = () => ({ database, config: live.current, keys, projectDir, mode, log, onProgress });
  return {
    dir: projectDir,
    savedDir: parts.configSource?.savedDir,
    dataDir,
    createFunction(name) {
      requireWritable(parts, join(supabaseDir, 'functions'));
      return project.createFunction(supabaseDir, name);
    },
    async writeMigration(tx, name, statements) {
      requireWritable(parts, join(supabaseDir, 'migrations'));
      return project.writeMigration(tx, supabaseDir, { name, statements, now: systemClock.now() });
    },
    skipped: () => project.listFailures(database),
    migrations: {
      list: () => project.reviewMigrations(pool, projectDir),
      text: (version) => project.migrationText(pool, projectDir, version),
      dryRun: (includeAll) => project.tryMigrations(deps(), { includeAll }),
      apply: (includeAll) => project.migrateUp(deps(), { includeAll }),
      repair: (version, status) => project.repairMigrations(deps(), { versions: [version], status }),
      // The comparison starts a second PostgreSQL server, so it isn't offered where other work needs the resources.
      drift:
        mode === 'development'
          ? async () => (await import('./drift.ts')).findDrift(parts, project, openScratch)
          : undefined,
    },
  };
}

/**
 * Checks that this path isn't outside the project and the allowed folders, for example because of a symbolic link,
 * because operators choose the content that is written to the path.
 * @throws {OutsideFolders}
 */
function requireWritable({ live, projectDir, supabaseDir }: BackendParts, path: string): void {
  const allowed = live.current.plinth.files.allowed_folders.map((folder) => resolve(projectDir, folder));
  requireWithin([projectDir, supabaseDir, ...allowed], path);
}
