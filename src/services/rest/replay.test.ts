/** Tests that a replay is rolled back and limited, whatever the code that serves the request wants. */
import { expect, test } from 'vitest';
import type { PathRequest, PathResult } from '../../platform/database/types.ts';
import type { RestResponse } from './core/respond.ts';
import { createReplay } from './replay.ts';
import type { PipelineDeps } from './run.ts';

const result = {} as PathResult;
const response = (text: string): RestResponse => ({
  status: 200,
  headers: [['Content-Type', 'text/plain']],
  body: [Buffer.from(text)],
});
const given: PathRequest = {
  role: 'anon',
  settings: [['role', 'anon']],
  statement: { key: 'main', text: 'delete from notes where id = $1' },
  params: ['1'],
  before: [{ key: 'before', text: 'select prepare()', params: [] }],
  access: 'read write',
  lane: 'batched',
  replica: { after: undefined },
};
const call = { method: 'POST', path: '/notes', query: '', headers: {}, body: '' };

function replayOf(request: PathRequest) {
  const executed: PathRequest[] = [];
  const deps = {
    requestPath: {
      async execute(inner: PathRequest) {
        executed.push(inner);
        return result;
      },
    },
  } as unknown as PipelineDeps;
  const replay = createReplay(async ({ rollsBack }, { requestPath }) => {
    await requestPath.execute(request);
    return response(String(rollsBack));
  }, deps);
  return { replay, executed };
}

test('every transaction is rolled back, and a decision to commit is overruled after it has run', async () => {
  let decided = 0;
  const { replay, executed } = replayOf({
    ...given,
    explicit: {
      isolation: 'serializable',
      decide() {
        decided++;
        return 'commit';
      },
    },
  });
  const replayed = await replay(call, { access: 'read write', maxBytes: 100, maxMs: 1000 });
  const [only] = executed;
  expect(only?.explicit?.decide(result)).toBe('rollback');
  expect(decided).toBe(1);
  expect(only).toMatchObject({
    access: 'read write',
    lane: 'alone',
    resetAfter: true,
    explicit: { isolation: 'serializable' },
  });
  expect(only).not.toHaveProperty('replica');
  expect(replayed).toMatchObject({ status: 200, text: 'true', isTimedOut: false });
  expect(replayed.statements.map(({ text, params }) => [text, params])).toEqual([
    ['select prepare()', []],
    ['delete from notes where id = $1', ['1']],
  ]);
});

test('a read-only replay never writes, and a late one is canceled', async () => {
  const { replay, executed } = replayOf(given);
  const { text, isCut } = await replay(call, { access: 'read only', maxBytes: 2, maxMs: -1 });
  expect([text, isCut]).toEqual(['tr', true]);
  expect(executed[0]?.access).toBe('read only');
  expect(executed[0]?.signal?.aborted).toBe(true);
  expect(String(executed[0]?.signal?.reason)).toContain('took longer');
});
