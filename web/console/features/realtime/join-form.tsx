import { Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { PersonaPicker } from '../../components/persona/persona-picker.tsx';
import { Tag } from '../../components/tag.tsx';
import { type RealtimeFacts, splitTable } from './api.ts';
import classes from './page.module.css';
import { t } from './text.ts';
import type { ChannelState, JoinRequest } from './use-channel.ts';

const route = getRouteApi('/app/realtime');
const events = ['*', 'INSERT', 'UPDATE', 'DELETE'];
const tones = {
  idle: 'plain',
  joining: 'info',
  joined: 'success',
  rejoining: 'warning',
  failed: 'danger',
} as const;
const wholeSchema = 'public.*';

/** The form for joining a channel. The URL contains the form's values. */
export function JoinForm({
  facts,
  state,
  onJoin,
  onLeave,
}: {
  facts: RealtimeFacts;
  state: ChannelState;
  onJoin: (request: JoinRequest) => void;
  onLeave: () => void;
}) {
  const { as, topic = 'room', private: isPrivate = false, table } = route.useSearch();
  const navigate = route.useNavigate();
  const [event, setEvent] = useState('*');
  const [filter, setFilter] = useState('');
  const [isSelf, setSelf] = useState(true);
  const isIn = state === 'joined' || state === 'joining' || state === 'rejoining';

  const set = (change: Record<string, string | boolean | undefined>): void =>
    void navigate({
      search: (previous) =>
        Object.fromEntries(
          Object.entries({ ...previous, ...change }).filter(
            ([, value]) => value !== undefined && value !== '',
          ),
        ),
      replace: true,
    });

  function join(): void {
    const name = splitTable(table);
    const change =
      name === undefined
        ? []
        : [
            {
              event,
              schema: name.schema,
              ...(name.table === '*' ? {} : { table: name.table }),
              ...(filter.trim() === '' ? {} : { filter: filter.trim() }),
            },
          ];
    onJoin({
      url: facts.url,
      apikey: facts.apikey,
      as,
      topic,
      config: {
        private: isPrivate,
        broadcast: { self: isSelf, ack: true },
        presence: { enabled: true },
        postgres_changes: change,
      },
    });
  }

  const names = facts.tables.map(({ schema, table: each }) => `${schema}.${each}`);
  const choices = [...new Set([wholeSchema, ...names, ...(table === undefined ? [] : [table])])];
  return (
    <form
      className={classes.card}
      onSubmit={(submit) => {
        submit.preventDefault();
        join();
      }}
    >
      <div className={classes.head}>
        <h2>{t('realtime.join-title')}</h2>
        <span role="status">
          <Tag tone={tones[state]}>{t(`realtime.state-${state}`)}</Tag>
        </span>
      </div>
      <div className={classes.line}>
        <TextInput
          className={classes.grow}
          size="xs"
          label={t('realtime.topic')}
          required
          spellCheck={false}
          value={topic}
          onChange={(change) => set({ topic: change.currentTarget.value })}
        />
        <PersonaPicker as={as ?? 'anon'} onChange={(next) => set({ as: next })} />
      </div>
      {as === undefined ? <p className={classes.note}>{t('realtime.as-anon')}</p> : null}
      <Checkbox
        size="xs"
        label={t('realtime.private')}
        description={t('realtime.private-why')}
        checked={isPrivate}
        onChange={(change) => set({ private: change.currentTarget.checked || undefined })}
      />
      <Checkbox
        size="xs"
        label={t('realtime.self')}
        checked={isSelf}
        onChange={(change) => setSelf(change.currentTarget.checked)}
      />
      <div className={classes.line}>
        <NativeSelect
          className={classes.grow}
          size="xs"
          label={t('realtime.table')}
          value={table ?? ''}
          onChange={(change) => set({ table: change.currentTarget.value })}
          data={[
            { value: '', label: t('realtime.no-table') },
            ...choices.map((choice) => ({
              value: choice,
              label: choice === wholeSchema ? t('realtime.all-tables') : choice,
            })),
          ]}
        />
        <NativeSelect
          size="xs"
          label={t('realtime.event')}
          disabled={table === undefined}
          value={event}
          onChange={(change) => setEvent(change.currentTarget.value)}
          data={events.map((value) => ({ value, label: value === '*' ? t('realtime.all-events') : value }))}
        />
      </div>
      <TextInput
        size="xs"
        label={t('realtime.filter')}
        placeholder={t('realtime.filter-example')}
        disabled={table === undefined}
        spellCheck={false}
        classNames={{ input: classes.code }}
        value={filter}
        onChange={(change) => setFilter(change.currentTarget.value)}
      />
      <div className={classes.line}>
        <Button type="submit" size="compact-sm" loading={state === 'joining'}>
          {t('realtime.join')}
        </Button>
        {isIn ? (
          <Button size="compact-sm" variant="default" onClick={onLeave}>
            {t('realtime.leave')}
          </Button>
        ) : null}
      </div>
    </form>
  );
}
