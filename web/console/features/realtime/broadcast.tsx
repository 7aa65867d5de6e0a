import { Button, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { jsonObject } from './json-object.ts';
import classes from './page.module.css';
import { t } from './text.ts';

export function Broadcast({ onSend }: { onSend: (event: string, payload: Record<string, unknown>) => void }) {
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
