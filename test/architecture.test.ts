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
  [
    'a sibling value',
    'src/services/functions/x.ts',
    "import { errorTable } from '../auth/index.ts';",
    asTypes,
  ],
  [
    'a value beside a type',
    'src/services/rest/x.ts',
    "import { type A, b } from '../auth/index.ts';",
    asTypes,
  ],
  ['a type among values', 'src/services/rest/x.ts', "import { type A } from '../auth/index.ts';", asTypes],
  ['a default import', 'src/services/rest/x.ts', "import a from '../auth/index.ts';", asTypes],
  ['a sibling for its side effects', 'src/services/rest/x.ts', "import '../auth/index.ts';", asTypes],
  [
    'all of a sibling',
    'src/pages/console/x.ts',
    "import * as auth from '../../services/auth/index.ts';",
    asTypes,
  ],
  [
    'from a folder below',
    'src/services/auth/common/x.ts',
    "import { a } from '../../mail/index.ts';",
    asTypes,
  ],
  ['a jobs value', 'src/pages/console/x.ts', "import { a } from '../../services/jobs/index.ts';", asTypes],
  ['a re-export', 'src/pages/account/x.ts', "export { a } from '../../services/auth/index.ts';", asTypes],
  [
    'a re-export of everything',
    'src/pages/account/x.ts',
    "export * from '../../services/auth/index.ts';",
    asTypes,
  ],
  [
    'an import at run time',
    'src/services/storage/x.ts',
    "export const a = await import('../auth/index.ts');",
    asTypes,
  ],
  [
    'HTTP from a use case',
    'src/services/auth/codes/x.ts',
    "import type { A } from '../http/exchange.ts';",
    useCases,
  ],
  [
    "a feature's routes from a use case",
    'src/services/auth/codes/x.ts',
    "import { a } from '../passkeys/routes.ts';",
    useCases,
  ],
  [
    'SQL from a route',
    'src/services/auth/codes/routes.ts',
    "import { a } from './queries.ts';",
    routesWithoutSql,
  ],
  [
    "another feature's SQL from a route",
    'src/services/auth/factors/recovery-code-routes.ts',
    "import { a } from '../sessions/refresh-token-queries.ts';",
    routesWithoutSql,
  ],
  [
    'a feature from the common code',
    'src/services/auth/common/x.ts',
    "import { a } from '../codes/send.ts';",
    'The code that all features of auth share imports no feature',
  ],
  [
    'the inside of a module',
    'src/services/functions/x.ts',
    "import type { A } from '../auth/rows.ts';",
    onlyEntries,
  ],
  [
    'the inside of a module, in a type',
    'src/services/functions/x.ts',
    "export type A = import('../auth/rows.ts').A;",
    onlyEntries,
  ],
  [
    'a nested index',
    'src/entry/main.ts',
    "import { a } from '../services/storage/render/index.ts';",
    onlyEntries,
  ],
  [
    'the inside of telemetry',
    'src/pages/console/x.ts',
    "import { a } from '../../platform/telemetry/segments.ts';",
    onlyEntries,
  ],
  [
    'test helpers',
    'src/services/auth/x.ts',
    "import { a } from '../../platform/database/testing.ts';",
    onlyEntries,
  ],
  [
    'a service from the database',
    'src/platform/database/x.ts',
    "import type { A } from '../../services/rest/index.ts';",
    pointDown,
  ],
  [
    'the database from keys',
    'src/platform/keys/x.ts',
    "import type { A } from '../database/types.ts';",
    pointDown,
  ],
  [
    'the database from shared',
    'src/base/shared/x.ts',
    "import type { A } from '../../platform/database/types.ts';",
    pointDown,
  ],
  [
    'main from a service',
    'src/services/auth/x.ts',
    "import type { A } from '../../entry/main.ts';",
    pointDown,
  ],
  [
    'the gateway from a service',
    'src/services/auth/x.ts',
    "import type { A } from '../../server/gateway/index.ts';",
    pointDown,
  ],
  ['commands from main', 'src/entry/main.ts', "import { a } from './cli/index.ts';", pointDown],
  [
    'a service from the gateway',
    'src/server/gateway/x.ts',
    "import type { A } from '../../services/rest/index.ts';",
    'uses services only through the interface',
  ],
  [
    'a service from a command',
    'src/entry/cli/x.ts',
    "import { a } from '../../services/auth/index.ts';",
    'use services only through main.ts',
  ],
  [
    'a module from the kernel',
    'src/base/kernel/x.ts',
    "import type { A } from '../../platform/keys/types.ts';",
    'The kernel imports no other module',
  ],
  [
    'a folder without a floor',
    'src/services/other/x.ts',
    "import { a } from '../../base/kernel/sql.ts';",
    "isn't on a floor",
  ],
  [
    'the web app from the server',
    'src/services/auth/x.ts',
    "import { a } from '../../../web/lib/a.ts';",
    'only files below',
  ],
  [
    'a value, in the web app',
    'web/console/x.ts',
    "import { a } from '../../src/services/rest/index.ts';",
    webTypes,
  ],
  [
    'the inside of a service, in the web app',
    'web/console/x.ts',
    "import type { A } from '../../src/pages/console/tables/rows.ts';",
    webContracts,
  ],
];

const allowed: readonly Allowed[] = [
  ['a row type from a route', 'src/services/auth/codes/routes.ts', "import type { A } from './queries.ts';"],
  ['a sibling type', 'src/services/functions/x.ts', "export type { A } from '../auth/index.ts';"],
  [
    'a type of types.ts',
    'src/services/auth/x.ts',
    "import type { A } from '../mail/types.ts';\nexport const a: A = 1;",
  ],
  ['a value from below', 'src/services/auth/x.ts', "export { sql } from '../../base/kernel/sql.ts';"],
  [
    'a shared helper',
    'src/platform/database/pool/x.ts',
    "export { splitSql } from '../../../base/shared/sql/split.ts';",
  ],
  ['the kernel from shared', 'src/base/shared/x.ts', "export { sql } from '../kernel/sql.ts';"],
  ['a value of the same module', 'src/services/auth/common/x.ts', "export { a } from '../errors.ts';"],
  [
    'values of every module, in main',
    'src/entry/main.ts',
    "export { createAuth } from '../services/auth/index.ts';",
  ],
  [
    'database test helpers, for tests of others',
    'src/entry/testing.ts',
    "import '../platform/database/testing.ts';",
  ],
  ['the project from a command', 'src/entry/cli/x.ts', "export { a } from '../../project/folder/index.ts';"],
  [
    "a folder with another module's name",
    'src/pages/console/storage/x.ts',
    "export { a } from '../errors.ts';\nexport { b } from './core/b.ts';",
  ],
  ['such a folder from its module', 'src/pages/console/index.ts', "export { a } from './storage/routes.ts';"],
  ['anything, in a test', 'src/services/rest/x.test.ts', "import { a } from '../auth/rows.ts';"],
  [
    'text that looks like an import',
    'src/services/rest/x.ts',
    `export const a = "import { a } from '../auth/rows.ts'";`,
  ],
  [
    "a feature's contract, in the web app",
    'web/console/x.ts',
    "import type { A } from '../../src/pages/console/storage/contract.ts';",
  ],
];

const messagesFor = (sources: Readonly<Record<string, string>>): readonly string[] =>
  checkImports(new Map(Object.entries(sources))).map(({ message }) => message);

describe('rejected imports', () => {
  it.each(refused)('%s', (_what, path, source, message) => {
    expect(messagesFor({ [path]: source })).toEqual([expect.stringContaining(message)]);
  });

  it('the error contains the file and the line', () => {
    const sources = new Map([['src/services/rest/x.ts', "\n\nimport { a } from '../auth/index.ts';\n"]]);
    expect(checkImports(sources)).toMatchObject([{ file: 'src/services/rest/x.ts', line: 3 }]);
  });
});

describe('import cycles', () => {
  it('are also rejected between types', () => {
    const sources = {
      'src/services/auth/a.ts': "import type { B } from './b.ts';",
      'src/services/auth/b.ts': "export { c } from './common/c.ts';",
      'src/services/auth/common/c.ts': "import('../a.ts');",
      'src/services/auth/d.ts': "import './a.ts';",
    };
    expect(messagesFor(sources)).toEqual([
      expect.stringContaining(
        'src/services/auth/a.ts -> src/services/auth/b.ts -> src/services/auth/common/c.ts -> src/services/auth/a.ts',
      ),
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
    expect(messagesFor({ 'src/services/auth/a.ts': "import './a.ts';" })).toEqual([
      expect.stringContaining('src/services/auth/a.ts -> src/services/auth/a.ts'),
    ]);
  });

  it("don't include files that only share imports", () => {
    const sources = {
      'src/services/auth/a.ts': "import './b.ts';\nimport './c.ts';",
      'src/services/auth/b.ts': "import './d.ts';",
      'src/services/auth/c.ts': "import './d.ts';",
      'src/services/auth/d.ts': '',
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
  const files = [...sources].filter(([path]) => /^src\/pages\/account\/(?!.*\.test\.ts$)/.test(path));
  expect(files.length).toBeGreaterThan(30);
  const sending =
    /\bfetch\s*\(|fetch\s*:|internalFetch|\.inject\(|\bhttps?\.request|from 'undici'|node:https?'/i;
  const uses = (text: string) => text.split('\n').filter((line) => sending.test(line));
  const found = files.flatMap(([path, text]) => uses(text).map((line) => `${path}: ${line.trim()}`));
  expect(found).toEqual([]);
  const dependencies =
    /createAccount\(\{[\s\S]*?\n {2}\}\)/.exec(sources.get('src/server/backend/services.ts') ?? '')?.[0] ??
    '';
  expect(dependencies).toContain('auth,');
  expect(dependencies).not.toMatch(/fetch|gateway/i);
});
