/** Loads the code of alerts when the settings contain a receiver, or when an operator opens the page. */
import type { Alerts, AlertsDeps } from './alerts.ts';

export interface LazyAlerts extends Omit<Alerts, 'stop'> {
  start(): void;
  stop(): Promise<void>;
}

/** The time until the problems are looked for the first time, which would slow down the startup. */
const firstAfterMs = 20_000;
const everyMs = 60_000;

export function createLazyAlerts(deps: AlertsDeps): LazyAlerts {
  let timer: NodeJS.Timeout | undefined;
  let loaded: Promise<Alerts> | undefined;
  let isFailing = false;
  const load = (): Promise<Alerts> => {
    loaded ??= import('./alerts.ts').then(({ createAlerts }) => createAlerts(deps));
    return loaded;
  };
  const hasReceivers = (): boolean =>
    Object.values(deps.config.current.plinth.alerts.receivers).some(({ enabled }) => enabled);
  const check = async (): Promise<void> => {
    if (!hasReceivers()) return;
    try {
      await (await load()).check();
      isFailing = false;
    } catch (error) {
      if (!isFailing) deps.log.warn({ error }, 'alerts: the problems could not be checked');
      isFailing = true;
    }
  };
  return {
    start() {
      timer = setTimeout(() => {
        void check();
        timer = setInterval(() => void check(), everyMs).unref();
      }, firstAfterMs).unref();
    },
    async stop() {
      clearTimeout(timer);
      await (await loaded)?.stop();
    },
    check: async () => (await load()).check(),
    list: async () => (await load()).list(),
    test: async (name) => (await load()).test(name),
  };
}
