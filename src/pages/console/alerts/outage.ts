/**
 * Reports that problems can't be checked, usually because the database can't be used. This alert can't be stored then, so
 * each process keeps it in memory and reports it.
 */
import { parseQuietHours } from '../../../base/shared/alerts.ts';
import { type AlertRules, addressesOf, type Receiver, wants } from './core/decide.ts';
import { endOfQuiet } from './core/quiet.ts';
import type { ReportedAlert } from './queries.ts';

export interface Outage {
  /** Notes a failed check, and reports the failure once it has lasted long enough. */
  failed(error: unknown, rules: AlertRules): Promise<void>;
  /** Reports the end of a failure to those who know of it. */
  recovered(rules: AlertRules): Promise<void>;
}

export interface OutageDeps {
  /** Sends a message. Returns null, or a description of the error. */
  readonly send: (
    receiver: Receiver,
    address: string,
    event: 'raised' | 'resolved',
    alert: ReportedAlert,
  ) => Promise<string | null>;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
}

export function createOutage({ send, now }: OutageDeps): Outage {
  let current: { readonly sinceMs: number; readonly title: string; readonly told: Set<string> } | undefined;
  const alertOf = ({
    sinceMs,
    title,
  }: {
    readonly sinceMs: number;
    readonly title: string;
  }): ReportedAlert => ({
    ...{ id: '0', kind: 'services', severity: 'error', title, page: '/logs?level=error' },
    since: new Date(sinceMs).toISOString(),
  });
  const isQuiet = ({ quiet_hours, time_zone }: Receiver): boolean =>
    endOfQuiet(parseQuietHours(quiet_hours), time_zone, now()) > now();
  const key = (receiver: Receiver, address: string): string => `${receiver.name} ${address}`;

  return {
    async failed(error, { afterMs, receivers }) {
      const reason = error instanceof Error ? error.message : String(error);
      current ??= { sinceMs: now(), title: `Problems can’t be checked: ${reason}`, told: new Set() };
      if (now() - current.sinceMs < afterMs) return;
      const alert = alertOf(current);
      for (const receiver of receivers.filter((each) => wants(each, alert) && !isQuiet(each)))
        for (const address of addressesOf(receiver)) {
          const isKnown = current.told.has(key(receiver, address));
          if (!isKnown && (await send(receiver, address, 'raised', alert)) === null)
            current.told.add(key(receiver, address));
        }
    },
    async recovered({ receivers }) {
      if (current === undefined) return;
      const ended = current;
      current = undefined;
      for (const receiver of receivers)
        for (const address of addressesOf(receiver))
          if (ended.told.has(key(receiver, address)))
            await send(receiver, address, 'resolved', alertOf(ended));
    },
  };
}
