/** Asks all nodes, or one of them, for the data of a page. */
import type { GroupView } from '../../../platform/group/types.ts';
import type { AskedNodes, NamedNode } from './contract.ts';

export interface Asked<Value> {
  readonly values: readonly { readonly node: NamedNode; readonly value: Value }[];
  readonly nodes: AskedNodes;
}

/** @param only The ID of the node to ask. By default, all running nodes are asked. */
export async function askNodes<Value>(
  view: GroupView,
  [question, input]: readonly [question: string, input: unknown],
  only?: string,
): Promise<Asked<Value>> {
  const answers = await view.ask<Value>(question, input, only === undefined ? {} : { nodes: [only] });
  const values: { node: NamedNode; value: Value }[] = [];
  const missing: NamedNode[] = [];
  for (const answer of answers) {
    const node = { id: answer.node.id, name: answer.node.name };
    if (answer.missing === undefined) values.push({ node, value: answer.value });
    else missing.push(node);
  }
  const answered = values.map(({ node }) => node);
  return { values, nodes: { answered, missing, others: [], ...(await restOf(view, answers, only)) } };
}

/** Returns the nodes that weren't asked. If the selected node isn't running anymore, its answer is missing. */
async function restOf(
  view: GroupView,
  answers: readonly { readonly node: NamedNode }[],
  only: string | undefined,
): Promise<Partial<AskedNodes>> {
  if (only === undefined) return {};
  const known = await view.nodes().catch(() => []);
  const others = known
    .filter(({ id, isRunning }) => isRunning && id !== only)
    .map(({ id, name }) => ({ id, name }));
  if (answers.length > 0) return { others };
  const name = known.find(({ id }) => id === only)?.name ?? only.slice(0, 8);
  return { others, missing: [{ id: only, name }] };
}
