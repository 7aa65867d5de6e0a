/**
 * Restarts all nodes of the project one after another, so that the others serve requests in the meantime
 * (docs/decisions/0107-group-view.md). A node continues with the next one only when the restarted node is ready.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/kernel/log.ts';
import {
  factsQuestion,
  type GroupView,
  type NodeAnswer,
  type NodeFacts,
  type ViewNode,
} from '../../platform/group/types.ts';

/** Question with which a node makes another node restart. */
export const restartQuestion = 'restart';

export interface RollingRestartOptions {
  readonly view: Pick<GroupView, 'self' | 'nodes' | 'ask' | 'answer'>;
  /** Restarts this node. */
  readonly restart: () => void;
  readonly log: Logger;
  /** The maximum time to wait for a restarted node. Defaults to three minutes. */
  readonly readyWithinMs?: number;
  readonly pollMs?: number;
}

const defaultReadyWithinMs = 3 * 60_000;
const defaultPollMs = 500;
const answerMs = 5000;
/** A node that is asked to restart waits for this time, so that its answer is sent first. */
const delayMs = 200;

/**
 * Lets other nodes restart this one. Returns a function that restarts the other nodes and then this one. If a node
 * doesn't become ready, the remaining nodes aren't restarted.
 */
export function createRollingRestart(options: RollingRestartOptions): () => void {
  const { view, restart, log } = options;
  view.answer(restartQuestion, () => {
    setTimeout(restart, delayMs);
    return {};
  });
  let isRunning = false;
  const restartAll = async (): Promise<void> => {
    const others = (await view.nodes()).filter(({ id, isRunning: runs }) => runs && id !== view.self);
    for (const node of others) await restartOther(options, node);
    restart();
  };
  return () => {
    if (isRunning) return;
    isRunning = true;
    restartAll()
      .catch((error: unknown) => log.error({ error }, 'the nodes that follow were not restarted'))
      .finally(() => {
        isRunning = false;
      });
  };
}

async function restartOther(
  { view, log, readyWithinMs = defaultReadyWithinMs, pollMs = defaultPollMs }: RollingRestartOptions,
  { id, name }: ViewNode,
): Promise<void> {
  const before = new Set((await view.nodes()).map((node) => node.id));
  const [answer] = await view.ask(restartQuestion, {}, { nodes: [id], timeoutMs: answerMs });
  // A node that has ended in the meantime doesn't have to be restarted.
  if (answer === undefined) return;
  if (answer.missing !== undefined)
    throw new Error(`the node ${name} ${reasons[answer.missing]}, so it was not restarted`);
  log.info({ node: name }, 'restarting another node');
  const deadline = performance.now() + readyWithinMs;
  while (performance.now() < deadline) {
    await sleep(pollMs, undefined, { ref: false });
    const fresh = (await view.nodes()).filter((node) => node.isRunning && !before.has(node.id));
    const facts = await view.ask<NodeFacts>(factsQuestion, {}, { nodes: fresh.map((node) => node.id) });
    // A node gets a new ID when it starts.
    if (facts.some(isServing)) return;
  }
  throw new Error(`the node ${name} didn't become ready after its restart`);
}

const reasons = {
  silent: "didn't answer",
  failed: "couldn't restart",
  unsupported: "can't restart itself",
} as const;

const isServing = (answer: NodeAnswer<NodeFacts>): boolean =>
  answer.missing === undefined && ['ok', 'degraded'].includes(answer.value.status);
