import type { NodeStatus } from '../../../platform/group/types.ts';
import type { Problem } from './contract.ts';

/**
 * Returns the problems of the other nodes. Problems that this node has too are omitted, because this node reports them
 * itself.
 */
export function nodeProblems(nodes: readonly NodeStatus[]): Problem[] {
  const own = nodes.find(({ isSelf }) => isSelf);
  const isOwn = (check: string, message: string): boolean =>
    own?.facts?.problems.some((each) => each.check === check && each.message === message) === true;
  return nodes
    .filter(({ isSelf }) => !isSelf)
    .flatMap(({ name: node, state, facts }): Problem[] => {
      if (facts === null)
        return [
          {
            kind: 'node-missing',
            severity: state === 'gone' ? 'warning' : 'error',
            node,
            isGone: state === 'gone',
          },
        ];
      return facts.problems
        .filter(({ check, message }) => !isOwn(check, message))
        .map(({ check, status, message }) => ({
          kind: 'node',
          severity: status === 'failing' ? 'error' : 'warning',
          node,
          check,
          message,
        }));
    });
}
