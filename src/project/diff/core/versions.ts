/**
 * Makes schemas comparable that were read from servers with different PostgreSQL versions, and keeps statements
 * independent of the version. A project is developed on the embedded server and can run on an older one.
 */
import { buildFactBase, encodeId, type Fact, type FactBase } from '@supabase/pg-delta';
import type { Snapshot } from '../types.ts';

const maintainSince = 170_000;
const generatedColumnsSince = 180_000;

/**
 * Removes from both snapshots what doesn't exist in the oldest version: those of the two servers, and that of the server
 * that will run the statements.
 */
export function comparable(
  from: Snapshot,
  to: Snapshot,
  targetVersion = Number.POSITIVE_INFINITY,
): [Snapshot, Snapshot] {
  const oldest = Math.min(from.serverVersion, to.serverVersion, targetVersion);
  if (oldest >= generatedColumnsSince) return [from, to];
  return [asIn(from, oldest), asIn(to, oldest)];
}

const asIn = (snapshot: Snapshot, version: number): Snapshot => ({
  ...snapshot,
  facts: version < maintainSince ? withoutMaintain(snapshot.facts) : snapshot.facts,
  properties: snapshot.properties.filter(({ property }) => property !== 'generated columns'),
});

/** Removes the privilege MAINTAIN, and the grants that consist only of it. */
function withoutMaintain(base: FactBase): FactBase {
  const removed = new Set<string>();
  const facts = base.facts().flatMap((fact) => {
    if (fact.id.kind !== 'acl' && fact.id.kind !== 'defaultPrivilege') return [fact];
    const payload = withoutName(fact.payload, 'MAINTAIN') as Fact['payload'];
    if (isEmpty(payload) && !isEmpty(fact.payload)) {
      removed.add(encodeId(fact.id));
      return [];
    }
    return [{ ...fact, payload }];
  });
  return buildFactBase(
    facts,
    base.edges.filter(({ from, to }) => !removed.has(encodeId(from)) && !removed.has(encodeId(to))),
  );
}

const isEmpty = ({ privileges }: Fact['payload']): boolean =>
  Array.isArray(privileges) && privileges.length === 0;

function withoutName(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== name);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutName(item, name)]));
}

const identifier = '"(?:[^"]|"")*"';
const everyTablePrivilege = new RegExp(
  `^((?:ALTER DEFAULT PRIVILEGES FOR ROLE ${identifier}(?: IN SCHEMA ${identifier})? )?` +
    '(?:GRANT|REVOKE(?: GRANT OPTION FOR)?)) ' +
    'DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON (TABLES? )',
);

/** Writes a list of all privileges on tables as ALL, because servers before PostgreSQL 17 reject MAINTAIN. */
export const inAnyVersion = (text: string): string => text.replace(everyTablePrivilege, '$1 ALL ON $2');
