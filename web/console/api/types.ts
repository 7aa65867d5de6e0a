import type { Filter } from '../../../src/pages/console/tables/contract.ts';

export type { Home } from '../../../src/pages/console/home/contract.ts';
export type { Message, MessageSummary } from '../../../src/pages/console/inbox/contract.ts';
export type { Permission, Session } from '../../../src/pages/console/operators/contract.ts';
export type {
  CellChange,
  Column,
  DeletedRows,
  DeleteEffect,
  EditedRow,
  Filter,
  ForeignKey,
  Page as RowPage,
  Relation,
  RelationKey,
  RelationSummary,
  RowKey,
  Sort,
  Values as RowValues,
} from '../../../src/pages/console/tables/contract.ts';
export type { User } from '../../../src/pages/console/users/contract.ts';

/** A value in PostgreSQL's text representation. */
export type Cell = string | null;
export type FilterOperator = Filter['operator'];
export const filterOperators = [
  'eq',
  'neq',
  'gt',
  'gte',
  'lt',
  'lte',
  'contains',
  'like',
  'ilike',
  'is_null',
  'not_null',
] as const satisfies readonly FilterOperator[];
