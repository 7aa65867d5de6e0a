/**
 * Stores the duration of each test file in milliseconds, from the committed report and from earlier runs on this
 * machine.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

const root = fileURLToPath(new URL('../..', import.meta.url));
const committed = fileURLToPath(new URL('./file-times.json', import.meta.url));
const measured = fileURLToPath(new URL('../../node_modules/.plinth-test-times.json', import.meta.url));

type Times = Readonly<Record<string, number>>;

const read = (file: string): Times => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
const nameOf = (moduleId: string): string => relative(root, moduleId).replaceAll('\\', '/');

/** Returns a function that returns the last known duration of a file. */
export function readTimes(): (moduleId: string) => number | undefined {
  const times = { ...read(committed), ...read(measured) };
  return (moduleId) => times[nameOf(moduleId)];
}

/**
 * After a run, updates the recorded durations, and sorts them from longest to shortest. Runs of page states aren't
 * recorded, because they skip most tests of a file.
 */
export class TimesReporter implements Reporter {
  private hasOnlyStates = false;

  onInit({ config }: Vitest): void {
    this.hasOnlyStates = config.tagsFilter?.some((filter) => filter.startsWith('states')) === true;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.hasOnlyStates) return;
    const run = modules.map((module) => {
      const { duration, collectDuration, setupDuration } = module.diagnostic();
      return [nameOf(module.moduleId), Math.round(duration + collectDuration + setupDuration)] as const;
    });
    const all = Object.entries({ ...read(measured), ...Object.fromEntries(run) });
    const sorted = all.sort(([, left], [, right]) => right - left);
    // Another run may read the file at the same time, so the file is replaced as a whole.
    const next = `${measured}.${process.pid}`;
    writeFileSync(next, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
    renameSync(next, measured);
  }
}
