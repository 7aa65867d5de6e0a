/** Recognizes tools that create the tables of a project's database instead of `supabase/migrations`. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SchemaTool } from './core/missing.ts';

const tools: readonly (readonly [file: RegExp, name: string, command: string])[] = [
  [/^drizzle(?:\.[\w-]+)?\.config\.(?:[cm]?[jt]s|json)$/, 'Drizzle', 'npx drizzle-kit migrate'],
  [/^(?:schema\.prisma|prisma\.config\.[cm]?[jt]s)$/, 'Prisma', 'npx prisma migrate deploy'],
  [/^mikro-orm\.config\.[cm]?[jt]s$/, 'MikroORM', 'npx mikro-orm migration:up'],
  [/^knexfile\.[cm]?[jt]s$/, 'Knex', 'npx knex migrate:latest'],
  [/^\.sequelizerc$/, 'Sequelize', 'npx sequelize-cli db:migrate'],
  [/^(?:ormconfig\.(?:[cm]?[jt]s|json)|data-source\.[cm]?[jt]s)$/, 'TypeORM', 'npx typeorm migration:run'],
  [/^alembic\.ini$/, 'Alembic', 'alembic upgrade head'],
  [/^manage\.py$/, 'Django', 'python manage.py migrate'],
];

/** The folders, besides the project folder, in which the tools' files are usually located. */
const folders = ['', 'prisma', 'db', 'database', 'src', 'src/db', 'src/prisma', 'backend', 'server', 'api'];
const workspaces = ['packages', 'apps', 'libs'];

/** Returns the tool of the project. Undefined if no file of a known tool exists. */
export function findSchemaTool(projectDir: string): SchemaTool | undefined {
  const parents = workspaces.flatMap((name) => namesIn(join(projectDir, name)).map((one) => join(name, one)));
  for (const parent of ['', ...parents])
    for (const folder of folders) {
      const names = namesIn(join(projectDir, parent, folder));
      for (const [file, name, command] of tools) {
        const found = names.find((one) => file.test(one));
        if (found !== undefined)
          return { name, command, file: join(parent, folder, found).replaceAll('\\', '/') };
      }
    }
  return undefined;
}

function namesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
