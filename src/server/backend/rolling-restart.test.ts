import { expect, test } from 'vitest';
import { silentLogger } from '../../base/kernel/log.ts';
import { factsQuestion, type ViewNode } from '../../platform/group/types.ts';
import { createRollingRestart, restartQuestion } from './rolling-restart.ts';

/** A group of nodes that get a new ID when they restart. `broken` nodes never become ready again. */
function createGroup(names: readonly string[], broken: readonly string[] = []) {
  const events: string[] = [];
  let starts = 0;
  const node = (name: string): ViewNode => ({
    id: `${name}-${++starts}`,
    name,
    version: '1.0.0',
    startedAtMs: starts,
    seenAtMs: 0,
    isRunning: true,
  });
  let nodes = names.map(node);
  const self = nodes[0]?.id as string;
  const ask = async (question: string, _input: unknown, { nodes: wanted = [] as readonly string[] } = {}) => {
    const asked = nodes.filter(({ id }) => wanted.includes(id));
    if (question === restartQuestion)
      for (const { id, name } of asked) {
        events.push(`restart ${name}`);
        nodes = nodes.filter((other) => other.id !== id);
        setTimeout(() => {
          nodes = [...nodes, node(name)];
        }, 20);
      }
    return asked.map((one) =>
      question === factsQuestion
        ? { node: one, missing: undefined, value: { status: broken.includes(one.name) ? 'failing' : 'ok' } }
        : { node: one, missing: undefined, value: {} },
    );
  };
  const view = { self, nodes: async () => nodes, ask: ask as never, answer: () => undefined };
  const ended = Promise.withResolvers<void>();
  const restartAll = createRollingRestart({
    view,
    restart() {
      events.push('restart this node');
      ended.resolve();
    },
    log: { ...silentLogger, error: () => ended.resolve() },
    pollMs: 5,
    readyWithinMs: 200,
  });
  return { events, restartAll, ended: ended.promise };
}

test('the other nodes restart one after another, and this node restarts last', async () => {
  const { events, restartAll, ended } = createGroup(['one', 'two', 'three']);
  restartAll();
  // A second request while the nodes restart has no effect.
  restartAll();
  await ended;
  expect(events).toEqual(['restart two', 'restart three', 'restart this node']);
});

test('a node that does not become ready ends the sequence', async () => {
  const { events, restartAll, ended } = createGroup(['one', 'two', 'three'], ['two']);
  restartAll();
  await ended;
  expect(events).toEqual(['restart two']);
});

test('a single node restarts itself', async () => {
  const { events, restartAll, ended } = createGroup(['one']);
  restartAll();
  await ended;
  expect(events).toEqual(['restart this node']);
});
