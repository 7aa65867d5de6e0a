/** Reads the activity and the logs of functions on all nodes. */
import type { GroupView } from '../../../platform/group/types.ts';
import type {
  ActivityMinute,
  FunctionLogLine,
  FunctionsService,
  Invocation,
} from '../../../services/functions/index.ts';
import { askNodes } from './ask.ts';
import type { AskedNodes } from './contract.ts';
import { questions } from './questions.ts';

/** With the name of the node if there are several. */
export type NodeInvocation = Invocation & { readonly node?: string };
export type NodeLogLine = FunctionLogLine & { readonly node?: string };
export type LineFilter = NonNullable<Parameters<FunctionsService['logs']['recent']>[0]>;

export interface NodeFunctions {
  activity(
    slug: string,
  ): Promise<{ readonly minutes: readonly ActivityMinute[]; readonly nodes: AskedNodes }>;
  /** Returns the latest invocations, newest first. */
  invocations(
    slug: string,
    limit: number,
  ): Promise<{ readonly invocations: readonly NodeInvocation[]; readonly nodes: AskedNodes }>;
  /** Returns the lines of the other nodes, oldest first. */
  otherLines(filter: LineFilter): Promise<readonly NodeLogLine[]>;
  /** The name of this node. Undefined if other nodes can't exist. */
  ownName(): Promise<string | undefined>;
}

export function createNodeFunctions(
  view: GroupView,
  activity: FunctionsService['activity'],
  now: () => number,
): NodeFunctions {
  return {
    async activity(slug) {
      const { values, nodes } = await askNodes(view, [questions.functionActivity, { slug }]);
      const saved = values.map(({ value }) => value);
      return { minutes: activity.merged(saved, slug, now()), nodes };
    },
    async invocations(slug, limit) {
      const { values, nodes } = await askNodes<readonly Invocation[]>(view, [
        questions.invocations,
        { slug, limit },
      ]);
      const all = values.flatMap(({ node, value }) =>
        value.map((each): NodeInvocation => (values.length > 1 ? { ...each, node: node.name } : each)),
      );
      return { invocations: all.sort((left, right) => right.at - left.at).slice(0, limit), nodes };
    },
    async otherLines(filter) {
      if (!view.isShared) return [];
      const answers = await view.ask<readonly FunctionLogLine[]>(
        questions.functionLines,
        { filter },
        { others: true },
      );
      return answers
        .flatMap((answer) =>
          answer.missing === undefined
            ? answer.value.map((line): NodeLogLine => ({ ...line, node: answer.node.name }))
            : [],
        )
        .sort((left, right) => left.at - right.at);
    },
    async ownName() {
      if (!view.isShared) return undefined;
      const nodes = await view.nodes().catch(() => []);
      return nodes.length > 1 ? nodes.find(({ id }) => id === view.self)?.name : undefined;
    },
  };
}
