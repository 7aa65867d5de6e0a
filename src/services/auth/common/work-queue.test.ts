import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createWorkQueue as create, Lanes, QueueFullError, type WorkLimits } from './work-queue.ts';

const createWorkQueue = (limits: Omit<WorkLimits, 'maxWaitMs'>) =>
  create({ ...limits, maxWaitMs: () => Number.POSITIVE_INFINITY }, () => 0);

/** Creates a task that ends when the test calls `finish` or `fail`. */
function createJob() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  return { work: () => promise, finish: () => resolve('done'), fail: () => reject(new Error('failed')) };
}

test('a limited number of tasks run at a time, and the others wait in order', async () => {
  const queue = createWorkQueue({ concurrency: 2, waiting: 10 });
  const begun: number[] = [];
  const jobs = Array.from({ length: 4 }, createJob);
  const results = jobs.map(({ work }, index) =>
    queue.run(() => {
      begun.push(index);
      return work();
    }),
  );
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  jobs[1]?.finish();
  await results[1];
  expect(begun).toEqual([0, 1, 2]);
  for (const { finish } of jobs) finish();
  expect(await Promise.all(results)).toEqual(['done', 'done', 'done', 'done']);
});

test('of a thousand concurrent calls, a limited number is queued and the others are rejected immediately', async () => {
  const queue = createWorkQueue({ concurrency: 2, waiting: 100 });
  const job = createJob();
  const results = Array.from({ length: 1000 }, () => queue.run(job.work));
  const settled = Promise.allSettled(results);
  await expect(results[102]).rejects.toThrow(QueueFullError);
  job.finish();
  const outcomes = await settled;
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(102);
});

test('clients take turns, and work that would wait too long is rejected', async () => {
  let now = 0;
  const queue = create({ concurrency: 1, waiting: 100, maxWaitMs: () => 200 }, () => now);
  const begun: string[] = [];
  const run = (name: string, client: string) =>
    queue.run(
      async () => {
        begun.push(name);
        now += 100;
      },
      undefined,
      client,
    );
  await run('first', 'a');
  const job = createJob();
  const blocker = queue.run(job.work);
  const fair = [run('x1', 'x'), run('x2', 'x'), run('y1', 'y')];
  const late = run('x3', 'x');
  await expect(late).rejects.toMatchObject({ name: 'QueueFullError', retryAfterSeconds: 1 });
  job.finish();
  await Promise.all([blocker, ...fair]);
  expect(begun.slice(-3)).toEqual(['x1', 'y1', 'x2']);
});

test('an aborted task uses no slot, and a failed task releases its slot', async () => {
  const queue = createWorkQueue({ concurrency: 1, waiting: 1 });
  const first = createJob();
  const running = queue.run(first.work);
  const gone = new AbortController();
  let ran = false;
  const abandoned = queue.run(async () => {
    ran = true;
  }, gone.signal);
  await expect(queue.run(async () => 'full')).rejects.toThrow(QueueFullError);
  gone.abort(new Error('gone'));
  await expect(abandoned).rejects.toThrow('gone');
  const next = queue.run(async () => 'next');
  first.fail();
  await expect(running).rejects.toThrow('failed');
  expect(await next).toBe('next');
  expect(ran).toBe(false);
  await expect(queue.run(async () => 'late', gone.signal)).rejects.toThrow('gone');
});

test('for any sequence, the limit is never exceeded and every task runs', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 30 }),
      async (concurrency, turns) => {
        const queue = createWorkQueue({ concurrency, waiting: 1000 });
        let running = 0;
        let most = 0;
        const work = (turnsLeft: number) => async () => {
          most = Math.max(most, ++running);
          for (let turn = 0; turn < turnsLeft; turn++) await Promise.resolve();
          running--;
        };
        await Promise.all(turns.map((left) => queue.run(work(left))));
        return running === 0 && most <= concurrency;
      },
    ),
  );
});

test('lanes: work with the same key waits for its turn, and other work doesn’t', async () => {
  const lanes = new Lanes();
  const gate = Promise.withResolvers<void>();
  const started: string[] = [];
  const start = (key: string, name: string) =>
    lanes.run({
      key,
      concurrency: 2,
      work: () => {
        started.push(name);
        return gate.promise;
      },
    });
  const all = [start('a', 'a1'), start('a', 'a2'), start('a', 'a3'), start('b', 'b1')];
  await Promise.resolve();
  await Promise.resolve();
  expect(started).toEqual(['a1', 'a2', 'b1']);
  gate.resolve();
  await Promise.all(all);
  expect(started).toContain('a3');
  expect(lanes.size).toBe(0);
});
