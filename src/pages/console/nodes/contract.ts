import type { NodeStatus } from '../../../platform/group/types.ts';
import { json, type RouteTable } from '../core/contract.ts';

export type { NodeFacts, NodeState, NodeStatus, SlotLag } from '../../../platform/group/types.ts';

export interface NamedNode {
  readonly id: string;
  readonly name: string;
}

/** The nodes whose data a response combines. */
export interface AskedNodes {
  readonly answered: readonly NamedNode[];
  /** The running nodes that didn't answer in time or failed. */
  readonly missing: readonly NamedNode[];
  /** The running nodes that weren't asked, because the operator has selected another one. */
  readonly others: readonly NamedNode[];
}

export const contract = {
  'GET /nodes': { response: json<{ readonly nodes: readonly NodeStatus[] }>() },
} as const satisfies RouteTable;
