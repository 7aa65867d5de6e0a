import { json, type RouteTable } from '../core/contract.ts';

export interface DatabaseTrigger {
  schema: string;
  table: string;
  name: string;
  timing: 'before' | 'after' | 'instead of';
  events: ('insert' | 'update' | 'delete' | 'truncate')[];
  for_each: 'row' | 'statement';
  enabled: boolean;
  /** Whether `postgres`, the role of all changes, has the rights of the table's owner. */
  may_change: boolean;
  /** The signature of the function that the trigger calls. */
  function: string;
  /** Whether the trigger has arguments, which can contain keys. */
  has_arguments: boolean;
  /** Statements that create the trigger again. Null if the operator's role can't see the trigger's arguments. */
  source: string | null;
}

export const contract = {
  'GET /database/triggers': { response: json<{ readonly triggers: readonly DatabaseTrigger[] }>() },
} as const satisfies RouteTable;
