/** The parts of the server that only the Console uses. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/kernel/clock.ts';
import type { ConsoleProject, ConsoleSite, FunctionFolder } from '../../pages/console/index.ts';
import { parseConnectionString } from '../../platform/database/index.ts';
import type { Addresses } from './addresses.ts';
import type { ScratchBackend } from './drift.ts';
import type { Modules } from './modules.ts';
import type { BackendParts } from './parts.ts';
import { webDir } from './services.ts';
import { requireWritable } from './writable.ts';

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
    async writeMigration(tx, name, statements, down) {
      requireWritable(parts, join(supabaseDir, 'migrations'));
      if (down !== undefined) requireWritable(parts, join(supabaseDir, 'migrations', 'down'));
      return project.writeMigration(tx, supabaseDir, { name, statements, down, now: systemClock.now() });
    },
    writeTest:
      mode === 'development'
        ? async (name, text) => (await import('./project-tests.ts')).writeTest(parts, name, text)
        : undefined,
    runTests:
      mode === 'development'
        ? async (paths) => (await import('./project-tests.ts')).runTests(parts, project, paths)
        : undefined,
    functionFolder: mode === 'development' ? functionFolder(parts, project) : undefined,
    newMigrations: {
      list: () => project.selectApplied(pool),
      async apply(migration) {
        const writesFile = mode === 'development';
        if (writesFile) requireWritable(parts, join(supabaseDir, 'migrations'));
        return project.applyNewMigration(deps(), { ...migration, now: systemClock.now() }, writesFile);
      },
      record: (migration) => project.recordNewMigration(deps(), { ...migration, now: systemClock.now() }),
    },
    sentFiles: {
      applyMigration: (migration, run) => project.applySentMigration({ ...deps(), ...run }, migration),
      applySeed: (seed, run) => project.applySentSeed({ ...deps(), ...run }, seed),
      run: (file, run) => project.runSentFile({ ...deps(), ...run }, file),
      storeSecrets: (secrets) => project.storeVaultSecrets(deps(), secrets),
      seeds: () => project.selectSeeds(pool),
      history: () => project.selectHistory(pool),
      changeHistory: ({ applied, ...change }) =>
        project.changeHistory(pool, {
          ...change,
          applied: applied.map(({ text, ...migration }) => ({
            ...migration,
            statements: project.splitStatements(text).map((statement) => statement.text),
          })),
        }),
    },
    keepMerged: mode === 'development' ? (migration) => keepMerged(parts, migration) : undefined,
    inspection: {
      isProduction: mode === 'production',
      async schema() {
        const { readSnapshot, snapshotDocument } = await import('../../project/diff/index.ts');
        const target = parseConnectionString(database.info.projectUrl);
        return snapshotDocument(await readSnapshot({ ...target, applicationName: 'plinth' }));
      },
      lint: (schemas) => project.lint(pool, schemas, () => undefined),
      test: (test, signal) => project.runSentTest(database.info.projectUrl, test, signal),
    },
    skipped: () => project.listFailures(database),
    migrations: {
      list: () => project.reviewMigrations(pool, projectDir, mode === 'development'),
      text: (version) => project.migrationText(pool, projectDir, version),
      dryRun: (includeAll) => project.tryMigrations(deps(), { includeAll }),
      apply: (includeAll) => project.migrateUp(deps(), { includeAll }),
      repair: (version, status) => project.repairMigrations(deps(), { versions: [version], status }),
      revert: (version) => project.revertMigration(deps(), version),
      writesFiles: mode === 'development',
      drift: async (onStep) =>
        (await import('./drift.ts')).findDrift(parts, { project, openScratch, onStep }),
      async squash(version, onStep) {
        for (const folder of ['migrations', '.temp']) requireWritable(parts, join(supabaseDir, folder));
        const { squashMigrations } = await import('./squash.ts');
        return await squashMigrations(parts, version, { project, openScratch, onStep });
      },
    },
  };
}

/** The functions in the project folder, which agents read and change in development. */
function functionFolder(parts: BackendParts, project: Modules['project']): FunctionFolder {
  const functionsDir = join(parts.supabaseDir, 'functions');
  return {
    async save(slug, files) {
      requireWritable(parts, functionsDir);
      await project.saveFunctionFiles(functionsDir, slug, files);
    },
    async read(slug) {
      const folder = join(functionsDir, slug);
      requireWritable(parts, folder);
      return await project.readFunctionFiles(folder);
    },
  };
}

/** Writes a migration that was merged from a branch, so that the folder still contains every applied migration. */
function keepMerged(
  parts: BackendParts,
  { version, name, statements }: Parameters<NonNullable<ConsoleProject['keepMerged']>>[0],
): void {
  const folder = join(parts.supabaseDir, 'migrations');
  requireWritable(parts, folder);
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).some((file) => file.startsWith(`${version}_`))) return;
  const file = `${version}_${name.replace(/[^\w.-]+/g, '_') || 'merged'}.sql`;
  writeFileSync(join(folder, file), `${statements.join(';\n\n')};\n`);
}
