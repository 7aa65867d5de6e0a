import { queryOptions } from '@tanstack/react-query';
import { fetchConsole } from '../../api/session.ts';

export type { NodeFacts, NodeState, NodeStatus } from '../../../../src/pages/console/nodes/contract.ts';

const refreshMs = 5000;

export const nodesQuery = queryOptions({
  queryKey: ['nodes'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /nodes', { signal })).nodes,
  refetchInterval: refreshMs,
});

export interface NodesSearch {
  /** The ID of the node that is open in the panel. */
  readonly id?: string;
}

export const validateNodesSearch = ({ id }: Record<string, unknown>): NodesSearch =>
  typeof id === 'string' && id !== '' ? { id } : {};
