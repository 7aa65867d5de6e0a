import { formatDateTime, formatRelative } from '../../lib/i18n.ts';

/** Shows a time in the local time zone. The tooltip contains the time in UTC. */
export function Moment({ at, relative = false }: { at: string; relative?: boolean }) {
  return (
    <time dateTime={at} title={new Date(at).toISOString()}>
      {relative ? formatRelative(at) : formatDateTime(at)}
    </time>
  );
}
