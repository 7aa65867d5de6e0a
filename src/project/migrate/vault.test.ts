import { expect, test } from 'vitest';
import type { Sql } from '../../base/kernel/sql.ts';
import type { End } from './types.ts';
import { migrateSecrets } from './vault.ts';

interface Secret {
  readonly id: string;
  readonly name: string;
  readonly value: string | null;
}

/** Returns an end with a vault that records the changes. */
function endWith(secrets: readonly Secret[], changes: string[] = []): End {
  const query = async (statement: Sql): Promise<object[]> => {
    const { text } = statement.compile();
    if (text.includes('has_table_privilege')) return [{ exists: true }];
    if (text.includes('has_column_privilege')) return [{ may: true }];
    if (text.includes('from vault.decrypted_secrets'))
      return secrets.map((secret) => ({ ...secret, description: '', createdAt: '2026-01-01' }));
    changes.push(text.trim().split(/\s+/).slice(0, 3).join(' '));
    return [];
  };
  return { session: { query, exec: async () => {}, isOpen: () => true } } as unknown as End;
}

test('a secret that the source can’t decrypt doesn’t replace the target’s secret', async () => {
  const changes: string[] = [];
  const source = endWith([{ id: 'a', name: 'key', value: null }]);
  const own = { id: 'b', name: 'key', value: 'set on the target' };
  const result = await migrateSecrets(source, endWith([own], changes));
  expect(changes).toEqual([]);
  expect(result).toMatchObject({ added: 0, changed: 0, deleted: 0 });
  expect(result.notes).toEqual(["Vault: the secret key can't be decrypted by the source."]);
});

test('secrets that only the target has are deleted', async () => {
  const changes: string[] = [];
  const source = endWith([{ id: 'a', name: 'key', value: null }]);
  const result = await migrateSecrets(source, endWith([{ id: 'c', name: 'other', value: 'x' }], changes));
  expect(changes).toEqual(['delete from vault.secrets']);
  expect(result.deleted).toBe(1);
});
