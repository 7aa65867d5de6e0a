import { formatDateTime, formatRelative } from '../../lib/i18n.ts';

/** A time in the local time zone, with UTC on hover. */
export function Moment({ at, relative = false }: { at: string; relative?: boolean }) {
  return (
    <time dateTime={at} title={new Date(at).toISOString()}>
      {relative ? formatRelative(at) : formatDateTime(at)}
    </time>
  );
}
