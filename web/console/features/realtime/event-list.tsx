import { Button } from '@mantine/core';
import { JsonBlock } from '../../components/json-block.tsx';
import { Tag, type TagTone } from '../../components/tag.tsx';
import classes from './page.module.css';
import { t } from './text.ts';
import type { ChannelEvent, Kind } from './use-channel.ts';

const tones: Readonly<Record<Kind, TagTone>> = {
  system: 'plain',
  reply: 'plain',
  broadcast: 'info',
  presence: 'success',
  change: 'warning',
  sent: 'plain',
  closed: 'danger',
};

/** Lists sent and received events, newest first. Each event can be expanded to show its payload. */
export function EventList({ events, onClear }: { events: readonly ChannelEvent[]; onClear: () => void }) {
  return (
    <section className={`${classes.card} ${classes.events}`} aria-label={t('realtime.events')}>
      <div className={classes.head}>
        <h2>{t('realtime.events')}</h2>
        {events.length === 0 ? null : (
          <Button size="compact-sm" variant="default" onClick={onClear}>
            {t('realtime.clear')}
          </Button>
        )}
      </div>
      {events.length === 0 ? (
        <p className={classes.note}>{t('realtime.events-none')}</p>
      ) : (
        <ul className={classes.list}>
          {events.toReversed().map((event) => (
            <li key={event.id} className={classes.event}>
              <EventRow event={event} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function EventRow({ event: { at, kind, title, payload, isBad } }: { event: ChannelEvent }) {
  const moment = new Date(at);
  return (
    <details>
      <summary>
        <time dateTime={moment.toISOString()}>{moment.toLocaleTimeString([], { hour12: false })}</time>
        <span className={classes.eventKind}>
          <Tag tone={isBad ? 'danger' : tones[kind]}>{t(`kind.${kind}`)}</Tag>
        </span>
        <span className={classes.eventTitle}>{title}</span>
      </summary>
      <div className={classes.eventBody}>
        <JsonBlock value={payload} what={t('realtime.payload', { kind: t(`kind.${kind}`) })} />
      </div>
    </details>
  );
}
