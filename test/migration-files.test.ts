/** Tests the rules for the names of SQL files (`scripts/lint/migrations.ts`), and that the modules' files follow them. */
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkMigrations } from '../scripts/lint/migrations/check.ts';

const same = (name: string) =>
  `${name} has the same number. Give the file that was added last the next number.`;
const form = 'The name must have the form NNNN_subject.sql.';

test.each([
  ['different numbers', ['src/services/auth/sql/0001_a.sql', 'src/services/auth/sql/0003_b.sql'], []],
  [
    'the same number in two modules',
    ['src/services/auth/sql/0001_a.sql', 'src/services/mail/sql/0001_a.sql'],
    [],
  ],
  [
    'the same number in one module',
    [
      'src/services/auth/sql/0002_b.sql',
      'src/services/auth/sql/0001_x.sql',
      'src/services/auth/sql/0002_a.sql',
    ],
    [{ path: 'src/services/auth/sql/0002_b.sql', message: same('0002_a.sql') }],
  ],
  [
    'the same number three times',
    [
      'src/services/auth/sql/0002_a.sql',
      'src/services/auth/sql/0002_b.sql',
      'src/services/auth/sql/0002_c.sql',
    ],
    [
      { path: 'src/services/auth/sql/0002_b.sql', message: same('0002_a.sql') },
      { path: 'src/services/auth/sql/0002_c.sql', message: same('0002_a.sql') },
    ],
  ],
  [
    'a name without a number',
    [
      'src/services/auth/sql/users.sql',
      'src/services/auth/sql/1_users.sql',
      'src/services/auth/sql/0001_Users.sql',
    ],
    ['0001_Users', '1_users', 'users'].map((name) => ({
      path: `src/services/auth/sql/${name}.sql`,
      message: form,
    })),
  ],
])('%s', (_what, paths, expected) => {
  expect(checkMigrations(paths)).toEqual(expected);
});

test('the files of all modules have different numbers', () => {
  const paths = globSync('src/*/*/sql/*.sql', { cwd: fileURLToPath(new URL('..', import.meta.url)) });
  expect(paths.length).toBeGreaterThanOrEqual(20);
  expect(checkMigrations(paths)).toEqual([]);
});
