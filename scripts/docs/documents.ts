/** Every document that the code writes, in whole or in marked blocks. */
import { readFileSync } from 'node:fs';
import { may, type Permission, roles } from '../../src/console/core/roles.ts';
import type { Backend } from '../../src/main.ts';
import { constantsBlock, settingsBlock } from './constants.ts';
import { databaseRolesBlock, entitiesBlock } from './database.ts';
import { errorsBlock, errorsDocument, sessionFaultsBlock } from './errors.ts';
import { code, fillBlocks, table } from './markdown.ts';
import { accountPagesBlock, consolePagesBlock, routesBlock } from './routes.ts';
import { tokensBlock } from './tokens.ts';
import { typedSecretsBlock } from './typed-secrets.ts';

const root = new URL('../../', import.meta.url);

/** The backend of the example project, which has migrations, so that their bookkeeping is there too. */
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
    ['role', ...permissions],
    roles.map((role) => [
      code(role),
      ...permissions.map((permission) => (may(role, permission) ? 'yes' : '')),
    ]),
  );

/** Path from the root of the repository to text, as it should be now. */
export async function documents(backend: Backend): Promise<ReadonlyMap<string, string>> {
  const specification = fillBlocks(readDocument('docs/specification.md'), {
    'account-pages': accountPagesBlock(),
    'console-pages': consolePagesBlock(),
    routes: routesBlock([...backend.routes(), ...backend.console.routes()]),
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
    ['docs/errors.md', errorsDocument()],
  ]);
}
