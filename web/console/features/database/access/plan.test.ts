import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SchemaChange } from '../../tables/schema/api.ts';
import type { Privilege } from './api.ts';
import { columnPrivileges, type Held, privilegeChanges } from './plan.ts';

const target = { type: 'table', schema: 'public', name: 'notes' } as const;
const held = (
  object: readonly Privilege[],
  columns: Readonly<Record<string, readonly Privilege[]>> = {},
  grantable: readonly Privilege[] = [],
): Held => ({
  object: new Set(object),
  grantable: new Set(grantable),
  columns: new Map(Object.entries(columns).map(([name, privileges]) => [name, new Set(privileges)])),
});
const plan = (before: Held, after: Held) => privilegeChanges({ target, role: 'anon', before, after });
const at = { target, role: 'anon' };

describe('the changes of privileges', () => {
  test('nothing changes if nothing is chosen', () => {
    expect(plan(held(['select'], { id: ['update'] }), held(['select'], { id: ['update'] }))).toEqual([]);
  });

  test('privileges on the object are revoked and granted together', () => {
    expect(plan(held(['select', 'delete', 'insert']), held(['select', 'update']))).toEqual([
      { kind: 'revoke', ...at, privileges: ['delete', 'insert'] },
      { kind: 'grant', ...at, privileges: ['update'] },
    ]);
  });

  test('the right to grant a privilege is granted with it, added and taken away', () => {
    expect(
      plan(
        held(['select', 'insert', 'delete'], {}, ['insert', 'delete']),
        held(['select', 'insert', 'update'], {}, ['select', 'update']),
      ),
    ).toEqual([
      { kind: 'revoke', ...at, privileges: ['delete'] },
      { kind: 'revoke', ...at, privileges: ['insert'], grantOption: true },
      { kind: 'grant', ...at, privileges: ['select', 'update'], grantOption: true },
    ]);
  });

  test('a privilege on the table is replaced by privileges on columns, which survive the revocation', () => {
    expect(
      plan(held(['select'], { id: ['select'] }), held([], { id: ['select'], title: ['select'] })),
    ).toEqual([
      { kind: 'revoke', ...at, privileges: ['select'] },
      { kind: 'grant', ...at, privileges: ['select'], columns: ['id', 'title'] },
    ]);
  });

  test('privileges on the same columns are granted by one statement', () => {
    expect(plan(held([]), held([], { a: ['select', 'update'], b: ['select', 'update', 'insert'] }))).toEqual([
      { kind: 'grant', ...at, privileges: ['select', 'update'], columns: ['a', 'b'] },
      { kind: 'grant', ...at, privileges: ['insert'], columns: ['b'] },
    ]);
  });
});

/** Applies changes as PostgreSQL does. */
function applied(before: Held, changes: readonly SchemaChange[]): Held {
  const object = new Set(before.object);
  const grantable = new Set(before.grantable);
  const columns = new Map([...before.columns].map(([name, set]) => [name, new Set(set)]));
  for (const change of changes) {
    if (change.kind !== 'grant' && change.kind !== 'revoke') throw new Error(change.kind);
    for (const privilege of change.privileges) {
      if (change.columns === undefined) {
        if (change.kind === 'grant') {
          object.add(privilege);
          if (change.grantOption === true) grantable.add(privilege);
        } else if (change.grantOption === true) grantable.delete(privilege);
        else {
          object.delete(privilege);
          grantable.delete(privilege);
          for (const set of columns.values()) set.delete(privilege);
        }
      }
      for (const column of change.columns ?? []) {
        const set = columns.get(column) ?? new Set<Privilege>();
        columns.set(column, set);
        if (change.kind === 'grant') set.add(privilege);
        else set.delete(privilege);
      }
    }
  }
  return { object, grantable, columns };
}

test('after the changes, the role has exactly the chosen privileges', () => {
  const privileges = fc.subarray([...columnPrivileges]);
  const anyHeld = fc.record({ object: privileges, a: privileges, b: privileges, option: privileges });
  type Chosen = Readonly<Record<'object' | 'a' | 'b' | 'option', Privilege[]>>;
  const toHeld = ({ object, a, b, option }: Chosen) =>
    held(
      object,
      { a, b },
      option.filter((privilege) => object.includes(privilege)),
    );
  fc.assert(
    fc.property(anyHeld, anyHeld, (left, right) => {
      const [before, after] = [toHeld(left), toHeld(right)];
      const result = applied(before, plan(before, after));
      expect(result.object).toEqual(after.object);
      expect(result.grantable).toEqual(after.grantable);
      for (const column of ['a', 'b'])
        for (const privilege of columnPrivileges)
          if (!after.object.has(privilege))
            expect(result.columns.get(column)?.has(privilege) ?? false).toBe(
              after.columns.get(column)?.has(privilege),
            );
    }),
  );
});
