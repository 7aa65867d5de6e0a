import type { NodeStatus } from '../../../platform/group/types.ts';
import type { Api } from '../routes/api.ts';

export function nodeRoutes(api: Api, list: () => Promise<readonly NodeStatus[]>): void {
  const route = api.feature(() => import('./contract.ts'));
  route('GET /nodes', 'read', async () => ({ nodes: await list() }));
}
