import type { GroupView } from './view.ts';

export { GroupError } from './errors.ts';
export {
  factsQuestion,
  type NodeFacts,
  type NodeProblem,
  type NodeState,
  type NodeStatus,
  type SlotLag,
} from './facts.ts';
export {
  createLocalView,
  type GroupView,
  type MissingAnswer,
  type NodeAnswer,
  type ViewNode,
} from './view.ts';

/**
 * The interface of the state that several nodes share.
 *
 * Glossary. *Node*: one Plinth server of a project. *Group*: all nodes that use the same external database. *State
 * file*: a file that has the same content on every node.
 */
export interface GroupState {
  /** Whether other nodes share the state. False with the embedded database and in development. */
  readonly isShared: boolean;
  /** Asks the other nodes. Undefined if other nodes can't exist. */
  readonly view: GroupView | undefined;
  /** The names of the state files that were replaced when this node joined. */
  readonly replacedAtStart: ReadonlySet<string>;
  /**
   * Runs work that changes state files, and stores the changed files for all nodes. Only one change is made at a time,
   * and `work` sees all earlier changes. A call within `work` is part of the same change.
   * @throws {GroupError} if the change can't be stored. The files then have their previous content.
   */
  change<T>(work: () => T | Promise<T>): Promise<T>;
  /**
   * Calls the listener with the names of the state files that were replaced because another node changed them, or
   * because a change failed.
   */
  onReplaced(listener: (names: ReadonlySet<string>) => void): void;
  /** Starts following the changes of other nodes and of commands on this node. */
  start(): void;
  stop(): Promise<void>;
}

/** The state of a server that is the only node of its project. */
export const localState: GroupState = {
  isShared: false,
  view: undefined,
  replacedAtStart: new Set(),
  change: async (work) => await work(),
  onReplaced() {},
  start() {},
  stop: async () => undefined,
};
