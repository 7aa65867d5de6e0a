/** Creates a project folder with a separate database that is prepared as in `main.ts`. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { silentLogger } from '../../src/base/kernel/log.ts';
import { sql } from '../../src/base/kernel/sql.ts';
import { loadConfig } from '../../src/platform/config/index.ts';
import type { Database } from '../../src/platform/database/index.ts';
import { createTestDatabase } from '../../src/platform/database/testing.ts';
import { createProject, migrations, type ProjectDeps } from '../../src/project/folder/index.ts';
import { makeProject } from '../config/project-folder.ts';

export interface TestProject {
  readonly deps: ProjectDeps;
  readonly projectDir: string;
  /** The progress messages in order. */
  readonly progress: string[];
  /** Starts the project as a new process would. */
  start(options?: StartOptions): Promise<void>;
  /** Runs the start only up to the point at which the services would start, as if the process were killed then. */
  startHalf(): Promise<void>;
  write(path: string, content: string | Buffer): void;
  remove(path: string): void;
  /** Runs a statement as `postgres` and returns the first column of every row. */
  values(statement: string): Promise<unknown[]>;
}

interface StartOptions {
  readonly upToVersion?: string;
  readonly keepGoing?: boolean;
  readonly mode?: 'development' | 'production';
}

/** Creates a project with these files, whose paths are relative to `supabase/`. */
export async function projectWith(files: Readonly<Record<string, string>>): Promise<TestProject> {
  const inSupabase = Object.entries({ 'config.toml': '', ...files }).map(([path, text]) => [
    `supabase/${path}`,
    text,
  ]);
  const projectDir = makeProject(Object.fromEntries(inSupabase));
  const { database, drop } = await createTestDatabase('project', (template) =>
    template.migrate([migrations]),
  );
  onTestFinished(drop);
  return describe(projectDir, database);
}

function describe(projectDir: string, database: Database): TestProject {
  const progress: string[] = [];
  const { config } = loadConfig({ projectDir, env: {} });
  const deps: ProjectDeps = {
    database,
    config,
    keys: { secretKey: '' },
    projectDir,
    mode: 'development',
    log: silentLogger,
    onProgress: (message) => progress.push(message),
  };
  return {
    deps,
    projectDir,
    progress,
    async start({ mode = 'development', ...options }: StartOptions = {}) {
      const project = createProject({ ...deps, mode });
      await project.prepareDatabase(options);
      await project.prepareBuckets(undefined);
    },
    startHalf: async () => void (await createProject(deps).prepareDatabase()),
    write(path, content) {
      const target = join(projectDir, 'supabase', path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
    },
    remove: (path) => rmSync(join(projectDir, 'supabase', path)),
    async values(statement) {
      const rows = await database.pool('postgres').query<Record<string, unknown>>(sql`${sql.raw(statement)}`);
      return rows.map((row) => Object.values(row)[0]);
    },
  };
}
