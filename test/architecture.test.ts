/** Tests the rules for imports between modules (`scripts/lint/imports.ts`), and that the sources follow them. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkImports, readSources } from '../scripts/lint/imports/check.ts';

const asTypes = 'imports other services as types only';
const onlyEntries = 'Only index.ts and types.ts of another module may be imported';
const useCases = 'A use case must not depend on HTTP';
const routesWithoutSql = 'A route must not run SQL';
const pointDown = 'Imports point down';
const webTypes = 'The web app imports only types from src/';
const webContracts = 'The web app imports types only from a contract.ts';

type Refused = readonly [what: string, path: string, source: string, message: string];
type Allowed = readonly [what: string, path: string, source: string];

const refused: readonly Refused[] = [
  ['a sibling value', 'src/functions/x.ts', "import { errorTable } from '../auth/index.ts';", asTypes],
  ['a value beside a type', 'src/rest/x.ts', "import { type A, b } from '../auth/index.ts';", asTypes],
  ['a type among values', 'src/rest/x.ts', "import { type A } from '../auth/index.ts';", asTypes],
  ['a default import', 'src/rest/x.ts', "import a from '../auth/index.ts';", asTypes],
  ['a sibling for its side effects', 'src/rest/x.ts', "import '../auth/index.ts';", asTypes],
  ['all of a sibling', 'src/console/x.ts', "import * as auth from '../auth/index.ts';", asTypes],
  ['from a folder below', 'src/auth/core/x.ts', "import { a } from '../../mail/index.ts';", asTypes],
  ['a jobs value', 'src/console/x.ts', "import { a } from '../jobs/index.ts';", asTypes],
  ['a re-export', 'src/account/x.ts', "export { a } from '../auth/index.ts';", asTypes],
  ['a re-export of everything', 'src/account/x.ts', "export * from '../auth/index.ts';", asTypes],
  [
    'an import at run time',
    'src/storage/x.ts',
    "export const a = await import('../auth/index.ts');",
    asTypes,
  ],
  ['HTTP from a use case', 'src/auth/flows/x.ts', "import type { A } from '../http/exchange.ts';", useCases],
  ['a route from a use case', 'src/auth/flows/x.ts', "import { a } from '../routes/user.ts';", useCases],
  [
    'HTTP from an operation',
    'src/auth/operations/x.ts',
    "import type { A } from '../http/exchange.ts';",
    useCases,
  ],
  [
    'an operation from a use case',
    'src/auth/flows/x.ts',
    "import { a } from '../operations/codes.ts';",
    'An operation calls use cases',
  ],
  ['SQL from a route', 'src/auth/routes/x.ts', "import { a } from '../queries/users.ts';", routesWithoutSql],
  ['the inside of a module', 'src/functions/x.ts', "import type { A } from '../auth/rows.ts';", onlyEntries],
  [
    'the inside of a module, in a type',
    'src/functions/x.ts',
    "export type A = import('../auth/rows.ts').A;",
    onlyEntries,
  ],
  ['a nested index', 'src/main.ts', "import { a } from './storage/render/index.ts';", onlyEntries],
  [
    'the inside of telemetry',
    'src/console/x.ts',
    "import { a } from '../telemetry/segments.ts';",
    onlyEntries,
  ],
  ['test helpers', 'src/auth/x.ts', "import { a } from '../database/testing.ts';", onlyEntries],
  [
    'a service from the database',
    'src/database/x.ts',
    "import type { A } from '../rest/index.ts';",
    pointDown,
  ],
  ['the database from keys', 'src/keys/x.ts', "import type { A } from '../database/types.ts';", pointDown],
  [
    'the database from shared',
    'src/shared/x.ts',
    "import type { A } from '../database/types.ts';",
    pointDown,
  ],
  ['main from a service', 'src/auth/x.ts', "import type { A } from '../main.ts';", pointDown],
  ['the gateway from a service', 'src/auth/x.ts', "import type { A } from '../gateway/index.ts';", pointDown],
  ['commands from main', 'src/main.ts', "import { a } from './cli/index.ts';", pointDown],
  [
    'a service from the gateway',
    'src/gateway/x.ts',
    "import type { A } from '../rest/index.ts';",
    'uses services only through the interface',
  ],
  [
    'a service from a command',
    'src/cli/x.ts',
    "import { a } from '../auth/index.ts';",
    'use services only through main.ts',
  ],
  [
    'a module from the kernel',
    'src/kernel/x.ts',
    "import type { A } from '../keys/types.ts';",
    'The kernel imports no other module',
  ],
  ['a folder without a layer', 'src/other/x.ts', "import { a } from '../kernel/sql.ts';", "isn't in a layer"],
  [
    'the web app from the server',
    'src/auth/x.ts',
    "import { a } from '../../web/lib/a.ts';",
    'only files below',
  ],
  ['a value, in the web app', 'web/console/x.ts', "import { a } from '../../src/rest/index.ts';", webTypes],
  [
    'the inside of a service, in the web app',
    'web/console/x.ts',
    "import type { A } from '../../src/console/tables/rows.ts';",
    webContracts,
  ],
];

const allowed: readonly Allowed[] = [
  ['a row type from a route', 'src/auth/routes/x.ts', "import type { A } from '../queries/users.ts';"],
  ['a sibling type', 'src/functions/x.ts', "export type { A } from '../auth/index.ts';"],
  [
    'a type of types.ts',
    'src/auth/x.ts',
    "import type { A } from '../mail/types.ts';\nexport const a: A = 1;",
  ],
  ['a value from below', 'src/auth/x.ts', "export { sql } from '../kernel/sql.ts';"],
  ['a shared helper', 'src/database/pool/x.ts', "export { splitSql } from '../../shared/sql/split.ts';"],
  ['the kernel from shared', 'src/shared/x.ts', "export { sql } from '../kernel/sql.ts';"],
  ['a value of the same module', 'src/auth/core/x.ts', "export { a } from '../errors.ts';"],
  ['values of every module, in main', 'src/main.ts', "export { createAuth } from './auth/index.ts';"],
  ['database test helpers, for tests of others', 'src/testing.ts', "import './database/testing.ts';"],
  ['the project from a command', 'src/cli/x.ts', "export { a } from '../project/index.ts';"],
  [
    "a folder with another module's name",
    'src/console/storage/x.ts',
    "export { a } from '../errors.ts';\nexport { b } from './core/b.ts';",
  ],
  ['such a folder from its module', 'src/console/index.ts', "export { a } from './storage/routes.ts';"],
  ['anything, in a test', 'src/rest/x.test.ts', "import { a } from '../auth/rows.ts';"],
  [
    'text that looks like an import',
    'src/rest/x.ts',
    `export const a = "import { a } from '../auth/rows.ts'";`,
  ],
  [
    "a feature's contract, in the web app",
    'web/console/x.ts',
    "import type { A } from '../../src/console/storage/contract.ts';",
  ],
];

const messagesFor = (sources: Readonly<Record<string, string>>): readonly string[] =>
  checkImports(new Map(Object.entries(sources))).map(({ message }) => message);

describe('rejected imports', () => {
  it.each(refused)('%s', (_what, path, source, message) => {
    expect(messagesFor({ [path]: source })).toEqual([expect.stringContaining(message)]);
  });

  it('the error contains the file and the line', () => {
    const sources = new Map([['src/rest/x.ts', "\n\nimport { a } from '../auth/index.ts';\n"]]);
    expect(checkImports(sources)).toMatchObject([{ file: 'src/rest/x.ts', line: 3 }]);
  });
});

describe('import cycles', () => {
  it('are also rejected between types', () => {
    const sources = {
      'src/auth/a.ts': "import type { B } from './b.ts';",
      'src/auth/b.ts': "export { c } from './core/c.ts';",
      'src/auth/core/c.ts': "import('../a.ts');",
      'src/auth/d.ts': "import './a.ts';",
    };
    expect(messagesFor(sources)).toEqual([
      expect.stringContaining('src/auth/a.ts -> src/auth/b.ts -> src/auth/core/c.ts -> src/auth/a.ts'),
    ]);
  });

  it('are shown by their shortest path', () => {
    const sources = {
      'web/a.tsx': "import './b.tsx';\nimport './c.tsx';",
      'web/b.tsx': "import './c.tsx';",
      'web/c.tsx': "import './a.tsx';",
    };
    expect(messagesFor(sources)).toEqual([expect.stringContaining('web/a.tsx -> web/c.tsx -> web/a.tsx.')]);
  });

  it('are rejected in a file that imports itself', () => {
    expect(messagesFor({ 'src/auth/a.ts': "import './a.ts';" })).toEqual([
      expect.stringContaining('src/auth/a.ts -> src/auth/a.ts'),
    ]);
  });

  it("don't include files that only share imports", () => {
    const sources = {
      'src/auth/a.ts': "import './b.ts';\nimport './c.ts';",
      'src/auth/b.ts': "import './d.ts';",
      'src/auth/c.ts': "import './d.ts';",
      'src/auth/d.ts': '',
    };
    expect(messagesFor(sources)).toEqual([]);
  });
});

describe('allowed imports', () => {
  it.each(allowed)('%s', (_what, path, source) => {
    expect(messagesFor({ [path]: source })).toEqual([]);
  });
});

const sources = readSources(fileURLToPath(new URL('..', import.meta.url)));

it('the sources follow the import rules', () => {
  expect(sources.size).toBeGreaterThan(1000);
  expect(checkImports(sources)).toEqual([]);
});

// Sending requests to the server's own routes would repeat the routes' checks and return untyped results.
it('the Account pages call auth operations instead of sending requests', () => {
  const files = [...sources].filter(([path]) => /^src\/account\/(?!.*\.test\.ts$)/.test(path));
  expect(files.length).toBeGreaterThan(30);
  const sending =
    /\bfetch\s*\(|fetch\s*:|internalFetch|\.inject\(|\bhttps?\.request|from 'undici'|node:https?'/i;
  const uses = (text: string) => text.split('\n').filter((line) => sending.test(line));
  const found = files.flatMap(([path, text]) => uses(text).map((line) => `${path}: ${line.trim()}`));
  expect(found).toEqual([]);
  const dependencies =
    /createAccount\(\{[\s\S]*?\n {2}\}\)/.exec(sources.get('src/backend/services.ts') ?? '')?.[0] ?? '';
  expect(dependencies).toContain('selfService');
  expect(dependencies).not.toMatch(/fetch|gateway/i);
});
