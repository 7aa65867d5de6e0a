/**
 * Lets the operator use a channel as any user. The operator can join the channel, send messages, track presence and
 * watch changes. The page also explains why a message isn't delivered.
 */

import { Button, Textarea, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/session.ts';
import { PageHead, ScrollPage } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { messageOf, ProblemBox } from '../../components/problem-box.tsx';
import { type Check, checksQuery, realtimeQuery, splitTable } from './api.ts';
import { DeliveryCheckView } from './delivery-check.tsx';
import { EventList } from './event-list.tsx';
import { JoinForm } from './join-form.tsx';
import { jsonObject } from './json-object.ts';
import classes from './page.module.css';
import { Presence } from './presence-view.tsx';
import { Tap } from './tap.tsx';
import { t } from './text.ts';
import { useChannel } from './use-channel.ts';

export function RealtimePage() {
  const { data, error } = useQuery(realtimeQuery);
  const channel = useChannel();
  const isJoined = channel.state === 'joined';
  const mayWrite = useMay('write');
  return (
    <>
      <PageHead title={t('nav.realtime')} />
      <ScrollPage>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : (
          <div className={classes.page}>
            <div className={classes.column}>
              <JoinForm
                facts={data}
                state={channel.state}
                onJoin={(request) => void channel.join(request)}
                onLeave={channel.leave}
              />
              <ChecksView />
              <DeliveryCheckView />
              {isJoined ? (
                <>
                  <Broadcast
                    onSend={(event, payload) =>
                      channel.send('broadcast', { type: 'broadcast', event, payload }, event)
                    }
                  />
                  <Presence
                    presences={channel.presences}
                    onTrack={(payload) =>
                      channel.send('presence', { type: 'presence', event: 'track', payload }, 'track')
                    }
                    onUntrack={() =>
                      channel.send('presence', { type: 'presence', event: 'untrack' }, 'untrack')
                    }
                  />
                </>
              ) : null}
            </div>
            <EventList events={channel.events} onClear={channel.clear} />
            {mayWrite ? <Tap /> : null}
          </div>
        )}
      </ScrollPage>
    </>
  );
}

function Broadcast({ onSend }: { onSend: (event: string, payload: Record<string, unknown>) => void }) {
  const [event, setEvent] = useState('message');
  const [text, setText] = useState('{ "text": "hello" }');
  const [isBad, setBad] = useState(false);
  return (
    <form
      className={classes.card}
      onSubmit={(submit) => {
        submit.preventDefault();
        const payload = jsonObject(text);
        setBad(payload === undefined);
        if (payload !== undefined) onSend(event, payload);
      }}
    >
      <div className={classes.head}>
        <h2>{t('realtime.send-title')}</h2>
      </div>
      <TextInput
        size="xs"
        label={t('realtime.send-event')}
        required
        value={event}
        onChange={(change) => setEvent(change.currentTarget.value)}
      />
      <Textarea
        size="xs"
        label={t('realtime.send-payload')}
        rows={3}
        spellCheck={false}
        classNames={{ input: classes.code }}
        error={isBad ? t('realtime.bad-json') : undefined}
        value={text}
        onChange={(change) => setText(change.currentTarget.value)}
      />
      <div className={classes.line}>
        <Button type="submit" size="compact-sm">
          {t('realtime.send')}
        </Button>
      </div>
    </form>
  );
}

const route = getRouteApi('/app/realtime');
const icons = { stops: IconAlertTriangle, limits: IconInfoCircle, fine: IconCircleCheck } as const;

/** The delivery checks for the selected persona and channel. */
function ChecksView() {
  const search = route.useSearch();
  const { data, error } = useQuery(checksQuery(search));
  return (
    <section className={classes.card} aria-label={t('checks.title')}>
      <div className={classes.head}>
        <h2>{t('checks.title')}</h2>
        {data === undefined ? null : (
          <span className={classes.note}>{t('checks.for', { role: data.role })}</span>
        )}
      </div>
      {error === null ? null : <p className={classes.note}>{messageOf(error)}</p>}
      <ul className={classes.checks}>
        {[...(data?.topic ?? []), ...(data?.table ?? [])].map((check) => (
          <CheckRow key={check.code} check={check} table={sqlName(search.table)} />
        ))}
      </ul>
    </section>
  );
}

/** The table's name as it is written in SQL. */
const sqlName = (table: string | undefined): string => {
  const name = splitTable(table);
  if (name === undefined) return '';
  return [name.schema, name.table]
    .map((part) => (/^[a-z_][a-z0-9_]*$/.test(part) ? part : `"${part.replaceAll('"', '""')}"`))
    .join('.');
};

function CheckRow({ check: { code, weight, policies }, table }: { check: Check; table: string }) {
  const Icon = icons[weight];
  return (
    <li className={classes.check} data-weight={weight}>
      <Icon size={16} aria-hidden />
      <span>
        <span className="visually-hidden">{t(`checks.${weight}`)}: </span>
        {t(`checks.${code}`, { policies: policies ?? 0, table })}
      </span>
    </li>
  );
}
