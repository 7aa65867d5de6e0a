import { formatDateTime, formatRelative } from '../../lib/i18n.ts';

/**
 * Shows a time in the local time zone. The tooltip contains the time in UTC. `seconds` is for events that can occur
 * several times a minute.
 */
export function Moment({
  at,
  relative = false,
  seconds = false,
}: {
  at: string;
  relative?: boolean;
  seconds?: boolean;
}) {
  return (
    <time dateTime={at} title={new Date(at).toISOString()}>
      {relative ? formatRelative(at) : formatDateTime(at, seconds ? 'medium' : 'short')}
    </time>
  );
}
