/** Reads the costs of the model from the results of the benchmarks (`bench/results.json`). */
import { type AllResults, findFigure } from '../parts.ts';
import type { Figure } from '../report.ts';
import type { Cost, Costs } from './model.ts';

/** @throws {Error} if a benchmark that the model needs hasn't been run */
export function costsFrom(results: AllResults): Costs {
  const figure = (part: string, name: string): Figure => {
    const found = findFigure(results, part, name);
    if (found === undefined)
      throw new Error(`"${name}" hasn't been measured. Run "npm run bench:all -- --only ${part}".`);
    return found;
  };
  const cost = (part: string, name: string): Cost => {
    const { value, postgres } = figure(part, name);
    if (postgres === undefined)
      throw new Error(`The result for "${name}" is outdated. Run "npm run bench:all -- --only ${part}".`);
    return { node: value - postgres, postgres };
  };
  return {
    read: cost('rest-peers', 'Read by id'),
    list: cost('rest-peers', 'List of 20 with a filter'),
    embed: cost('rest-peers', 'List of 20 with an embed'),
    insert: cost('rest-peers', 'Insert'),
    update: cost('rest-peers', 'Update'),
    remove: cost('rest-peers', 'Delete'),
    account: cost('requests', 'Own account'),
    refresh: cost('requests', 'Session refresh'),
    signIn: cost('auth', 'Login: CPU time'),
    download: cost('storage-peers', '32 connections: token 100k'),
    upload: cost('storage-peers', '32 connections: upload 100k'),
    change: cost(
      'realtime',
      "500 subscribers, one recipient per change: CPU time of the server and realtime's queries per change",
    ),
    delivery: {
      node: figure('realtime', 'Broadcast to 50 members: CPU time of the server per delivery').value,
      postgres: 0,
    },
    socketKiB: figure('realtime', '2000 idle sockets: memory per socket').value,
    nodeMiB: figure('start', 'Idle memory of all processes (PSS)').value,
  };
}
