/**
 * Finds tables that became partitions or are no longer partitions. pg-delta drops and recreates such tables, so their
 * rows would be lost.
 */
import type { FactBase, StableId } from '@supabase/pg-delta';
import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import { isManaged } from '../../../operations/dump/index.ts';

/** Returns the statements that attach and detach partitions whose parents exist in the old schema. */
export function partitionMoves(from: FactBase, to: FactBase): string[] {
  return to.facts().flatMap(({ id, payload }) => {
    if (id.kind !== 'table' || isManaged(id.schema)) return [];
    const before = from.get(id)?.payload;
    if (before === undefined || stateOf(before) === stateOf(payload)) return [];
    const statements: string[] = [];
    if (isPartition(before))
      statements.push(`ALTER TABLE ${parentOf(before)} DETACH PARTITION ${nameOf(id)}`);
    const parent = payload.parentTable as unknown as TableName;
    if (isPartition(payload) && from.has({ kind: 'table', schema: parent.schema, name: parent.name }))
      statements.push(
        `ALTER TABLE ${parentOf(payload)} ATTACH PARTITION ${nameOf(id)} ${payload.partitionBound}`,
      );
    return statements;
  });
}

interface TableName {
  readonly schema: string;
  readonly name: string;
}

type Payload = Readonly<Record<string, unknown>>;

const stateOf = ({ partitionBound, parentTable }: Payload): string =>
  JSON.stringify(partitionBound === null ? null : [partitionBound, parentTable]);
const isPartition = ({ partitionBound }: Payload): boolean => typeof partitionBound === 'string';
const quoted = ({ schema, name }: TableName): string => `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
const parentOf = ({ parentTable }: Payload): string => quoted(parentTable as TableName);
const nameOf = (id: StableId): string => quoted(id as StableId & TableName);
