/**
 * Starts real projects unchanged and prints the results.
 *
 * node scripts/projects/run.ts CHECKOUTS [--only OWNER/NAME …] [--list FILE] [--json FILE] [--at-once 2] [--timeout
 * 300]
 *
 * CHECKOUTS contains each repository of `list.txt` as OWNER/NAME, at the listed commit. Nothing is written into it.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Finding, judge } from './judge.ts';
import { type Project, readOwnFaults, readProjects } from './read-lists.ts';
import { type Attempt, tryProject } from './try-project.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true, default: [] },
    list: { type: 'string' },
    json: { type: 'string' },
    'at-once': { type: 'string', default: '2' },
    timeout: { type: 'string', default: '300' },
  },
});
const [checkouts] = positionals;
if (checkouts === undefined) throw new Error('Name the folder that holds the checkouts.');

const ownFaults = readOwnFaults(new URL('own-faults.txt', import.meta.url));
const projects = readProjects(values.list ?? new URL('list.txt', import.meta.url)).filter(
  ({ name }) => values.only.length === 0 || values.only.includes(name),
);

interface Result extends Project, Finding, Attempt {}

const results: Result[] = [];
const waiting = [...projects];
await Promise.all(Array.from({ length: Number(values['at-once']) }, work));

const counts = Map.groupBy(results, ({ verdict }) => verdict);
for (const [verdict, ofIt] of [...counts].sort()) console.log(`${ofIt.length}\t${verdict}`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);

/** Runs projects until none is left. */
async function work(): Promise<void> {
  for (let project = waiting.shift(); project !== undefined; project = waiting.shift()) {
    const checkout = join(checkouts as string, project.name);
    if (!existsSync(checkout)) {
      console.log(`${project.name}\tno checkout`);
      continue;
    }
    const attempt = await tryProject(checkout, project.folder, Number(values.timeout) * 1000);
    const faults = ownFaults.filter(({ name }) => name === project.name);
    const result = { ...project, ...judge(attempt, faults), ...attempt };
    results.push(result);
    console.log([result.name, result.kind, result.verdict, result.place, result.reason].join('\t'));
  }
}
