/** Shows the messages that this node delivers, of all topics or of some, to operators with write access. */
import { Button, Checkbox, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { TappedMessage } from '../../../../src/pages/console/realtime/contract.ts';
import { consoleUrl } from '../../api/route.ts';
import { Confirm } from '../../components/confirm.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { Tag, type TagTone } from '../../components/tag.tsx';
import { useEntryStream } from '../../components/use-entry-stream.ts';
import classes from './page.module.css';
import { t } from './text.ts';

const tones: Readonly<Record<TappedMessage['kind'], TagTone>> = {
  broadcast: 'info',
  presence: 'success',
  change: 'warning',
};

export function Tap() {
  const [topic, setTopic] = useState('');
  const [withPayloads, setWithPayloads] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const [url, setUrl] = useState<string>();
  const { entries, left, isLive, clear } = useEntryStream<TappedMessage>(url);
  const isOn = url !== undefined;
  return (
    <section className={`${classes.card} ${classes.tap}`} aria-label={t('tap.title')}>
      <div className={classes.head}>
        <h2>{t('tap.title')}</h2>
        {isOn ? <Tag tone={isLive ? 'success' : 'warning'}>{t(isLive ? 'tap.live' : 'tap.lost')}</Tag> : null}
      </div>
      <p className={classes.note}>{t('tap.text')}</p>
      <form
        className={classes.tapForm}
        onSubmit={(event) => {
          event.preventDefault();
          const query = { topic: topic.trim(), payloads: withPayloads ? '1' : '0' } as const;
          setUrl(isOn ? undefined : consoleUrl('GET /realtime/tap', { query }));
        }}
      >
        <TextInput
          size="xs"
          label={t('tap.topic')}
          description={t('tap.topic-why')}
          autoComplete="off"
          spellCheck={false}
          disabled={isOn}
          value={topic}
          onChange={(event) => setTopic(event.currentTarget.value)}
        />
        <Checkbox
          size="xs"
          label={t('tap.payloads')}
          disabled={isOn}
          checked={withPayloads}
          onChange={() => (withPayloads ? setWithPayloads(false) : setAsking(true))}
        />
        <div className={classes.line}>
          <Button type="submit" size="compact-sm" variant={isOn ? 'default' : 'filled'}>
            {t(isOn ? 'tap.stop' : 'tap.start')}
          </Button>
          {entries.length === 0 ? null : (
            <Button size="compact-sm" variant="default" onClick={clear}>
              {t('realtime.clear')}
            </Button>
          )}
        </div>
      </form>
      {left === 0 ? null : (
        <p role="status" className={classes.note}>
          {t('tap.left', { count: left })}
        </p>
      )}
      {isOn && entries.length === 0 ? <p className={classes.note}>{t('tap.none')}</p> : null}
      <ul className={classes.list}>
        {entries.toReversed().map((message) => (
          <li key={message.id} className={classes.event}>
            <Message message={message} />
          </li>
        ))}
      </ul>
      {isAsking ? (
        <Confirm
          title={t('tap.payloads-title')}
          action={t('tap.payloads-go')}
          isBusy={false}
          error={null}
          onConfirm={() => {
            setWithPayloads(true);
            setAsking(false);
          }}
          onClose={() => setAsking(false)}
        >
          {t('tap.payloads-text')}
        </Confirm>
      ) : null}
    </section>
  );
}

function Message({ message }: { message: TappedMessage }) {
  const { at, kind, topic, isGuarded, event, payload, isCut, sizeBytes, recipients } = message;
  const moment = new Date(at);
  return (
    <details>
      <summary>
        <time dateTime={moment.toISOString()}>{moment.toLocaleTimeString([], { hour12: false })}</time>
        <span className={classes.eventKind}>
          <Tag tone={tones[kind]}>{t(`kind.${kind}`)}</Tag>
        </span>
        <span className={classes.eventTitle}>
          {topic} · {event}
        </span>
      </summary>
      <div className={classes.eventBody}>
        <p className={classes.note}>
          {t(isGuarded ? 'tap.facts-guarded' : 'tap.facts', { recipients, bytes: sizeBytes })}
        </p>
        {payload === null ? (
          <p className={classes.note}>{t(isGuarded ? 'tap.hidden' : 'tap.binary')}</p>
        ) : (
          <CodeBlock text={payload} what={t('realtime.payload', { kind: t(`kind.${kind}`) })} />
        )}
        {isCut ? <p className={classes.note}>{t('tap.cut')}</p> : null}
      </div>
    </details>
  );
}
