/**
 * Tests a migration that is killed with SIGKILL at different steps. The next run must continue the migration, with the
 * same result as an uninterrupted run.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Backend } from '../../src/entry/main.ts';
import { verify } from '../../src/project/migrate/index.ts';
import { createObjects, createPerson, endOf, move, project, readValue, run, startServer } from './helpers.ts';

let source: Backend;
let target: Backend;
beforeAll(async () => {
  [source, target] = await Promise.all([startServer(), startServer()]);
  await run(source, project);
  await createPerson(source, 'ada@example.com');
  await createObjects(source, 250);
});
afterAll(async () => {
  await Promise.all([source?.stop(), target?.stop()]);
});

const script = fileURLToPath(new URL('./transfer-process.ts', import.meta.url));

/** Runs a migration and kills the process when a progress message matches. Resolves with all messages. */
async function killAt(pattern: RegExp): Promise<string[]> {
  const child = spawn(process.execPath, [script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      MIGRATION_ENDS: JSON.stringify({
        source: endOf(source, 'the source'),
        target: endOf(target, 'the target'),
      }),
    },
  });
  const messages: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    messages.push(line);
    if (pattern.test(line)) child.kill('SIGKILL');
  }
  expect(messages.some((line) => pattern.test(line))).toBe(true);
  expect(messages.filter((line) => line.startsWith('complete'))).toEqual([]);
  return messages;
}

test('after a kill at each step, the next run makes the target equal to the source', async () => {
  await killAt(/^Creating \d+ definitions/);
  await killAt(/^Comparing app\.notes/);
  await killAt(/^Comparing app\.parts_high/);
  // Tables that were complete when the process was killed stay complete.
  expect(await readValue(target, 'select count(*)::int as value from app.notes')).toBe(5000);
  await killAt(/^Objects: 100 of/);
  expect(await readValue(target, 'select count(*)::int as value from storage.objects')).toBeGreaterThan(99);
  const report = await move(source, target);
  expect(report.complete).toBe(true);
  const { objects } = report;
  expect((objects?.added ?? 0) + (objects?.changed ?? 0)).toBeLessThan(251);
  const compared = await verify({
    source: endOf(source, 'the source'),
    target: endOf(target, 'the target'),
    objects: true,
    parallel: 4,
    onProgress: () => {},
  });
  expect(compared.differences).toEqual([]);
  expect(compared.objects).toBe(250);
});
