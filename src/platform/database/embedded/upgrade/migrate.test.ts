import { expect, test } from 'vitest';
import { statementsSince } from './migrate.ts';

const files = [
  {
    module: 'database',
    version: '0002',
    text: `select _plinth.attempt('grant pg_create_subscription to postgres', 160000);
      select _plinth.attempt('comment on role a is ''it''''s''', 190000);
      select _plinth.attempt('grant pg_monitor to postgres');
      do $$ begin perform _plinth.attempt('alter role a set event_triggers = off', 170000); end $$;`,
  },
  { module: 'database', version: '0006', text: 'create or replace view v as select 1' },
];

test('statements that the old version skipped run after an upgrade', () => {
  expect(statementsSince(files, 18)).toEqual([
    "comment on role a is 'it''s'",
    'create or replace view v as select 1',
  ]);
  expect(statementsSince(files, 15)).toEqual([
    'grant pg_create_subscription to postgres',
    "comment on role a is 'it''s'",
    'alter role a set event_triggers = off',
    'create or replace view v as select 1',
  ]);
});
