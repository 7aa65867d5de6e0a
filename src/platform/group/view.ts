/** The interface with which a node asks the other nodes of its project (docs/decisions/0107-group-view.md). */

/** A node as other nodes and operators see it. */
export interface ViewNode {
  readonly id: string;
  /** The machine's name. If several nodes have the same name, the beginning of the ID is added. */
  readonly name: string;
  /** Plinth's version. */
  readonly version: string;
  /** When the node joined the group and when it last renewed its row, in milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly seenAtMs: number;
  /** Whether the node has renewed its row recently. Nodes that ended without removing their rows haven't. */
  readonly isRunning: boolean;
}

/**
 * Why a node's answer is missing. `silent`: the node didn't answer in time. `failed`: the node couldn't find the answer.
 * `unsupported`: the node's version doesn't know the question.
 */
export type MissingAnswer = 'silent' | 'failed' | 'unsupported';

export type NodeAnswer<Value> =
  | { readonly node: ViewNode; readonly missing: undefined; readonly value: Value }
  | { readonly node: ViewNode; readonly missing: MissingAnswer };

export interface AskOptions {
  /** The IDs of the nodes to ask. By default, all running nodes are asked. */
  readonly nodes?: readonly string[] | undefined;
  /** Whether this node isn't asked. */
  readonly others?: boolean | undefined;
  readonly timeoutMs?: number | undefined;
}

export type AnswerQuestion = (input: never) => unknown;

export interface GroupView {
  /** The ID of this node. */
  readonly self: string;
  /** Whether other nodes can exist. */
  readonly isShared: boolean;
  /** Lists the nodes that are running or have ended without removing their rows within the last hour, oldest first. */
  nodes(): Promise<readonly ViewNode[]>;
  /** Asks the running nodes, including this one. Inputs and answers must be JSON. Never rejects. */
  ask<Value>(question: string, input: unknown, options?: AskOptions): Promise<readonly NodeAnswer<Value>[]>;
  /** Registers the function that answers a question on this node. */
  answer(question: string, handler: AnswerQuestion): void;
}

export type Answerers = Map<string, AnswerQuestion>;

/** Returns this node's answer. */
export async function ownAnswer<Value>(
  answerers: Answerers,
  node: ViewNode,
  [question, input]: readonly [question: string, input: unknown],
): Promise<NodeAnswer<Value>> {
  const handler = answerers.get(question);
  if (handler === undefined) return { node, missing: 'unsupported' };
  try {
    return { node, missing: undefined, value: (await handler(input as never)) as Value };
  } catch {
    return { node, missing: 'failed' };
  }
}

/** Creates the view of a server that is the only node of its project. */
export function createLocalView(name: string, version: string, now: () => number): GroupView {
  const answerers: Answerers = new Map();
  const startedAtMs = now();
  const node = (): ViewNode => ({ id: 'this', name, version, startedAtMs, seenAtMs: now(), isRunning: true });
  return {
    self: 'this',
    isShared: false,
    nodes: async () => [node()],
    ask: async (question, input, { nodes = ['this'], others = false } = {}) =>
      others || !nodes.includes('this') ? [] : [await ownAnswer(answerers, node(), [question, input])],
    answer: (question, handler) => void answerers.set(question, handler),
  };
}

/** Adds the beginning of the ID to names that several nodes have. */
export function withDistinctNames(nodes: readonly ViewNode[]): ViewNode[] {
  const counts = new Map<string, number>();
  for (const { name } of nodes) counts.set(name, (counts.get(name) ?? 0) + 1);
  return nodes.map((node) =>
    (counts.get(node.name) ?? 0) > 1 ? { ...node, name: `${node.name} (${node.id.slice(0, 4)})` } : node,
  );
}
