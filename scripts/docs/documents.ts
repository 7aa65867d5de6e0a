/** Generates the documents, or the marked blocks in documents, that are derived from the code. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readResults } from '../../bench/parts.ts';
import type { Backend } from '../../src/entry/main.ts';
import { may, type Permission, roles } from '../../src/pages/console/core/roles.ts';
import { architectureDocument } from './architecture.ts';
import { constantsBlock, settingsBlock } from './constants.ts';
import { databaseRolesBlock, entitiesBlock } from './database.ts';
import { errorsBlock, errorsDocument, sessionFaultsBlock } from './errors.ts';
import { code, fillBlocks, table } from './markdown.ts';
import { metricsDocument } from './metrics.ts';
import { performanceDocuments } from './performance.ts';
import { accountPagesBlock, consolePagesBlock, routesBlock } from './routes.ts';
import { tokensBlock } from './tokens.ts';
import { typedSecretsBlock } from './typed-secrets.ts';

const root = new URL('../../', import.meta.url);

/**
 * The example project. Because the project has migrations, the documents also contain the tables of the migration
 * history.
 */
export const exampleProject = new URL('examples/live-board', root);

export const readDocument = (path: string): string => {
  try {
    return readFileSync(new URL(path, root), 'utf8');
  } catch {
    return '';
  }
};

const permissions: readonly Permission[] = ['read', 'secrets', 'write', 'own'];

const operatorRolesBlock = (): string =>
  table(
    ['Role', ...permissions.map((permission) => code(permission))],
    roles.map((role) => [
      code(role),
      ...permissions.map((permission) => (may(role, permission) ? 'yes' : '')),
    ]),
  );

/** Returns the current text of each generated document by the document's path in the repository. */
export async function documents(backend: Backend): Promise<ReadonlyMap<string, string>> {
  const specification = fillBlocks(readDocument('docs/specification.md'), {
    'account-pages': accountPagesBlock(),
    'console-pages': consolePagesBlock(),
    routes: routesBlock([...(await backend.routes()), ...(await backend.console.routes())]),
    entities: await entitiesBlock(backend.database),
    'database-roles': await databaseRolesBlock(backend.database),
    'operator-roles': operatorRolesBlock(),
    tokens: tokensBlock(),
    'typed-secrets': typedSecretsBlock(),
    errors: errorsBlock(),
    'session-faults': sessionFaultsBlock(),
    constants: constantsBlock(),
    settings: settingsBlock(),
  });
  return new Map([
    ['docs/specification.md', specification],
    ['docs/architecture.md', architectureDocument(fileURLToPath(root))],
    ['docs/errors.md', errorsDocument()],
    ['docs/metrics.md', metricsDocument()],
    ...performanceDocuments(readResults()),
  ]);
}
