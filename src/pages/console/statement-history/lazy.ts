/** Loads the history of statements some time after startup, or when an operator opens a page that shows it. */
import type { History, HistoryDeps } from './history.ts';

/** The time until the first sample, which would slow down the startup. */
const firstAfterMs = 15_000;

export function createLazyHistory(deps: Omit<HistoryDeps, 'startedAt'>): History {
  const startedAt = deps.now();
  let timer: NodeJS.Timeout | undefined;
  let loaded: Promise<History> | undefined;
  let isStopped = false;
  const load = (): Promise<History> => {
    loaded ??= import('./history.ts').then(({ createHistory }) => createHistory({ ...deps, startedAt }));
    return loaded;
  };
  return {
    start() {
      timer = setTimeout(() => {
        void load().then((history) => isStopped || history.start());
      }, firstAfterMs).unref();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await (await loaded)?.stop();
    },
    list: async (filter) => (await load()).list(filter),
    statement: async (key) => (await load()).statement(key),
    marks: async (since) => (await load()).marks(since),
    findings: async () => (await load()).findings(),
  };
}
