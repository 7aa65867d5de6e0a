import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asPrivileged } from './privileged.ts';

describe('statements that require a superuser', () => {
  test.each([
    ['create event trigger t on ddl_command_end execute function f()', 'event trigger', 't'],
    ['CREATE EVENT TRIGGER "My t" ON sql_drop EXECUTE PROCEDURE a.f ( )', 'event trigger', '"My t"'],
    [
      "create event trigger t on ddl_command_end when tag in ('CREATE TABLE', 'ALTER TABLE') execute function f()",
      'event trigger',
      't',
    ],
    ['/* c */ create publication p for all tables -- c', 'publication', 'p'],
    ["create publication p for all tables with (publish = 'insert, update')", 'publication', 'p'],
    ['create publication p for tables in schema public', 'publication', 'p'],
    ['create publication p for tables in schema a, "B c" with (publish = \'insert\')', 'publication', 'p'],
    ['alter publication supabase_realtime add tables in schema public', 'publication', 'supabase_realtime'],
    ['ALTER PUBLICATION "P q" SET TABLES IN SCHEMA a, b', 'publication', '"P q"'],
  ])('%s', (statement, object, name) => {
    expect(asPrivileged(statement)).toMatchObject({ object, name });
  });

  test.each([
    'create publication p for table a',
    'create publication p for table a, tables in schema b',
    'create publication p for tables in schema b; drop table x',
    'alter publication p add table a',
    'alter publication p add tables in schema a, table b',
    'alter publication p drop tables in schema a',
    'alter publication p owner to postgres',
    'create publication p for all tables; drop table x',
    "create publication p for all tables with (publish = 'insert'; drop table x)",
    "create publication p for all tables with (publish = 'x\\'; drop role y; --')",
    'create event trigger t on ddl_command_end execute function f() ; select 1',
    'create event trigger t on ddl_command_end execute function f(1)',
    'create event trigger t on ddl_command_end execute function f(); --',
    'create event trigger t on ddl_command_end when tag in ($$x$$) execute function f()',
    'create trigger t after insert on x execute function f()',
    'drop event trigger t',
    'alter role postgres superuser',
  ])('unchanged: %s', (statement) => {
    expect(asPrivileged(statement)).toBeUndefined();
  });

  test('accepted text is always a single statement', () => {
    const word = fc.constantFrom(
      'create',
      'event',
      'trigger',
      'publication',
      'for',
      'all',
      'tables',
      'in',
      'schema',
      'on',
      'with',
      'execute',
      'function',
      'f',
      'p',
      '(',
      ')',
      ';',
      "'",
      '"',
      '$$',
      '--',
      '/*',
      '*/',
      '\\',
      '=',
      ',',
      '.',
      'ddl_command_end',
      'drop',
      '\n',
    );
    const tail = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
    const starts = [
      'create publication p for all tables ',
      'create publication p for tables in schema f ',
      'alter publication p add tables in schema f ',
      'create event trigger t on ddl_command_end execute function f ( ) ',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...starts), tail, (start, rest) => {
        const found = asPrivileged(start + rest);
        if (found !== undefined) expect(found.text).not.toMatch(/[;\\$]|--|\/\*/);
      }),
    );
  });
});
