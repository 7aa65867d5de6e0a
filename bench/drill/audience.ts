/** Starts processes with subscribers, and checks what they have received. */
import { fileURLToPath } from 'node:url';
import { nextMessage, startChild } from '../load/processes.ts';
import type { Check } from './report.ts';
import type { Question, SubscribersJob, Tally } from './subscribers.ts';
import type { World } from './world.ts';

export interface Audience {
  ask(question: Question): Promise<Tally>;
  stop(): void;
}

/** Starts the subscribers of a process, and resolves when all of them receive changes. */
export async function startAudience(world: World, job: SubscribersJob): Promise<Audience> {
  const child = startChild(fileURLToPath(new URL('subscribers.ts', import.meta.url)));
  world.onStop(() => child.kill('SIGKILL'));
  child.send(job);
  await nextMessage(child);
  return {
    ask(question) {
      child.send(question);
      return nextMessage<Tally>(child);
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

export const anonymous = (count: number): string[] => Array.from({ length: count }, () => '');

type Numbers = Exclude<keyof Tally, 'example'>;

/** Adds the tallies of several processes. */
export function total(tallies: readonly Tally[]): Tally {
  const sum = (key: Numbers): number => tallies.reduce((all, each) => all + each[key], 0);
  const most = (key: Numbers): number => Math.max(...tallies.map((each) => each[key]));
  return {
    ...{ subscribers: sum('subscribers'), expected: sum('expected'), received: sum('received') },
    example: tallies.find(({ example }) => example !== '')?.example ?? '',
    ...{
      repeated: sum('repeated'),
      announced: sum('announced'),
      silent: sum('silent'),
      told: sum('told'),
      notices: sum('notices'),
    },
    ...{ p95Ms: most('p95Ms'), maxMs: most('maxMs'), cpuSeconds: sum('cpuSeconds') },
  };
}

const figureOf = ({ received, expected, repeated, silent, told, notices, example }: Tally): string =>
  `${received} of ${expected} changes received, ${repeated} repeated, ${silent} missed without a message, ` +
  `${told} missed with one, ${notices} messages${example && ` (${example})`}`;

export const exactlyOnce = (name: string, tally: Tally): Check => ({
  name,
  figure: figureOf(tally),
  limit: 'every change exactly once',
  isMet: tally.received === tally.expected && tally.repeated === 0,
});

export const onceOrTold = (name: string, tally: Tally): Check => ({
  name,
  figure: figureOf(tally),
  limit: 'no change missed or repeated without a message',
  isMet: tally.silent === 0 && tally.repeated === tally.announced,
});
