/**
 * Answers what a load needs, from the measured costs in `bench/results.json`: how many nodes, how many replicas of
 * PostgreSQL, and which part reaches its limit first. docs/scale.md shows the answers for several loads.
 *
 *   node bench/scale-model.ts [--users 1000000] [--requests 5000] [--changes 2000] [--recipients 1] [--sockets 20000]
 *     [--downloads 500] [--uploads 20] [--stored-gib 10240] [--node-cores 4] [--node-gib 8] [--database-cores 32]
 *     [--connections-per-node 53] [--max-connections 500]
 *
 * `--users` are the users per month. All other loads are those of the busiest time of the day, per second.
 */
import { parseArgs } from 'node:util';
import { readResults } from './parts.ts';
import { costsFrom } from './scale/costs.ts';
import { defaultLoad, defaultSizes } from './scale/examples.ts';
import { answer, type Load, type Sizes } from './scale/model.ts';
import { describeAnswer } from './scale/text.ts';

const given = { ...defaultLoad, ...defaultSizes };
type Name = keyof typeof given;

const optionOf = (name: string): string =>
  name === 'monthlyUsers' ? 'users' : name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

const names = Object.keys(given) as Name[];
const { values } = parseArgs({
  options: Object.fromEntries(names.map((name) => [optionOf(name), { type: 'string' as const }])),
});

function numberOf(name: Name): number {
  const text = values[optionOf(name)];
  if (text === undefined) return given[name];
  const number = Number(text);
  if (!Number.isFinite(number) || number < 0)
    throw new Error(`--${optionOf(name)} must be a number, 0 or more.`);
  return number;
}

const all = Object.fromEntries(names.map((name) => [name, numberOf(name)])) as unknown as Load & Sizes;
console.log(describeAnswer(all, answer(all, costsFrom(readResults()), all)));
