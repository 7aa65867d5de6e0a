/**
 * Starts unchanged public projects and prints the results. With `--baseline`, starts the projects in
 * `baseline-list.txt` with a baseline from their types.
 *
 * node scripts/projects/run.ts CHECKOUTS [--only OWNER/NAME …] [--baseline] [--list FILE] [--json FILE] [--at-once 2]
 * [--timeout 300]
 *
 * CHECKOUTS is a folder that contains each repository in `list.txt` as OWNER/NAME, at the listed commit. The script
 * doesn't change these checkouts.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { classify, type Finding } from './classify.ts';
import { type Project, readOwnFaults, readProjects } from './read-lists.ts';
import { type Attempt, tryProject } from './try-project.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    baseline: { type: 'boolean', default: false },
    list: { type: 'string' },
    json: { type: 'string' },
    'at-once': { type: 'string', default: '2' },
    timeout: { type: 'string', default: '300' },
  },
});
const [checkouts] = positionals;
if (checkouts === undefined) throw new Error('Specify the folder that contains the checkouts.');

const ownFaults = readOwnFaults(new URL('own-faults.txt', import.meta.url));
const list = values.baseline ? 'baseline-list.txt' : 'list.txt';
const projects = readProjects(values.list ?? new URL(list, import.meta.url)).filter(
  ({ name }) => values.only.length === 0 || values.only.includes(name),
);

interface Result extends Project, Finding, Attempt {}

const results: Result[] = [];
const waiting = [...projects];
await Promise.all(Array.from({ length: Number(values['at-once']) }, work));

const counts = Map.groupBy(results, ({ outcome }) => outcome);
for (const [outcome, ofIt] of [...counts].sort()) console.log(`${ofIt.length}\t${outcome}`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);

/** Starts projects from the queue one after another until the queue is empty. */
async function work(): Promise<void> {
  for (let project = waiting.shift(); project !== undefined; project = waiting.shift()) {
    const checkout = join(checkouts as string, project.name);
    if (!existsSync(checkout)) {
      console.log(`${project.name}\tno checkout`);
      continue;
    }
    const attempt = await tryProject(
      checkout,
      project.folder,
      Number(values.timeout) * 1000,
      values.baseline,
    );
    const faults = ownFaults.filter(({ name }) => name === project.name);
    const result = { ...project, ...classify(attempt, faults), ...attempt };
    results.push(result);
    console.log([result.name, result.kind, result.outcome, result.place, result.reason].join('\t'));
  }
}
