import { millis } from '../../components/millis.ts';
import { Tag, type TagTone } from '../../components/tag.tsx';
import type { LogEntry } from './api.ts';
import { t } from './text.ts';

const toneOf = (status: number): TagTone =>
  status >= 500 ? 'danger' : status >= 400 ? 'warning' : status >= 300 ? 'info' : 'success';

export function StatusTag({ status }: { status: number }) {
  return <Tag tone={toneOf(status)}>{status}</Tag>;
}

export const msText = (ms: number): string => t('logs.ms', { ms: millis(ms) });

export const titleOf = ({ kind, method, path, message }: LogEntry): string =>
  kind === 'request' ? `${method} ${path}` : (message.split('\n', 1)[0] ?? '');

const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' });

/** Shows a local time with milliseconds, and the date if it isn't today. */
export function ClockTime({ at }: { at: number }) {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {isToday ? '' : `${day.format(date)} `}
      {clock.format(date)}
    </time>
  );
}
