import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { JsonBlock } from '../../components/json-block.tsx';
import { jsonObject } from './json-object.ts';
import classes from './page.module.css';
import type { Presences } from './presence.ts';
import { t } from './text.ts';

export function Presence({
  presences,
  onTrack,
  onUntrack,
}: {
  presences: Presences;
  onTrack: (state: Record<string, unknown>) => void;
  onUntrack: () => void;
}) {
  const [text, setText] = useState('{ "online": true }');
  const [isBad, setBad] = useState(false);
  const count = Object.keys(presences).length;
  return (
    <form
      className={classes.card}
      onSubmit={(submit) => {
        submit.preventDefault();
        const state = jsonObject(text);
        setBad(state === undefined);
        if (state !== undefined) onTrack(state);
      }}
    >
      <div className={classes.head}>
        <h2>{t('realtime.presence-title')}</h2>
        <span className={classes.note} role="status">
          {t('realtime.present', { count })}
        </span>
      </div>
      <Textarea
        size="xs"
        label={t('realtime.presence-state')}
        rows={2}
        spellCheck={false}
        classNames={{ input: classes.code }}
        error={isBad ? t('realtime.bad-json') : undefined}
        value={text}
        onChange={(change) => setText(change.currentTarget.value)}
      />
      <div className={classes.line}>
        <Button type="submit" size="compact-sm">
          {t('realtime.track')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={onUntrack}>
          {t('realtime.untrack')}
        </Button>
      </div>
      {count === 0 ? null : <JsonBlock value={presences} what={t('realtime.presences')} />}
    </form>
  );
}
