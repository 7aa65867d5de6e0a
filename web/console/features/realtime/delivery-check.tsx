/**
 * Explains why a change or a broadcast is or isn't delivered to a user. The steps are the checks that the realtime
 * service performs.
 */

import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle, IconMinus } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { JsonBlock } from '../../components/json-block.tsx';
import { PersonaPicker } from '../../components/persona/persona-picker.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { type CheckResult, splitTable } from './api.ts';
import { jsonObject } from './json-object.ts';
import classes from './page.module.css';
import { t } from './text.ts';

const route = getRouteApi('/app/realtime');
const actions = ['INSERT', 'UPDATE', 'DELETE'] as const;

export function DeliveryCheckView() {
  const { table } = route.useSearch();
  const name = splitTable(table);
  const isOfTable = name !== undefined && name.table !== '*';
  return (
    <section className={classes.card} aria-label={t('delivery-check.title')}>
      <div className={classes.head}>
        <h2>{t('delivery-check.title')}</h2>
      </div>
      <p className={classes.note}>
        {t(isOfTable ? 'delivery-check.of-change' : 'delivery-check.of-broadcast')}
      </p>
      {isOfTable ? <OfChange key={table} schema={name.schema} table={name.table} /> : <OfBroadcast />}
    </section>
  );
}

function OfChange({ schema, table }: { schema: string; table: string }) {
  const { as } = route.useSearch();
  const [action, setAction] = useState<(typeof actions)[number]>('INSERT');
  const [key, setKey] = useState('{ "id": 1 }');
  const [filter, setFilter] = useState('');
  const [isBad, setBad] = useState(false);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: (cells: Record<string, unknown>) =>
      fetchConsole('POST /realtime/verdict/change', {
        body: {
          ...(as === undefined ? {} : { as }),
          schema,
          table,
          action,
          key: textsOf(cells),
          subscription: {
            event: '*',
            schema,
            table,
            ...(filter.trim() === '' ? {} : { filter: filter.trim() }),
          },
        },
      }),
  });
  return (
    <form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault();
        const cells = jsonObject(key);
        setBad(cells === undefined);
        if (cells !== undefined && !isPending) mutate(cells);
      }}
    >
      <div className={classes.line}>
        <NativeSelect
          size="xs"
          label={t('delivery-check.action')}
          value={action}
          data={[...actions]}
          onChange={(event) => setAction(event.currentTarget.value as (typeof actions)[number])}
        />
        <TextInput
          className={classes.grow}
          size="xs"
          label={t('delivery-check.key')}
          required
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: classes.code }}
          error={isBad ? t('realtime.bad-json') : undefined}
          value={key}
          onChange={(event) => setKey(event.currentTarget.value)}
        />
      </div>
      <TextInput
        size="xs"
        label={t('delivery-check.filter')}
        placeholder={t('realtime.filter-example')}
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: classes.code }}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
      />
      <CheckButton isPending={isPending} />
      <Outcome result={data} error={error} />
    </form>
  );
}

/** Converts values to PostgreSQL's text format. */
const textsOf = (cells: Record<string, unknown>): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(cells).map(([name, value]) => [
      name,
      value === null ? null : typeof value === 'object' ? JSON.stringify(value) : String(value),
    ]),
  );

function OfBroadcast() {
  const { as, topic = 'room', private: isPrivate = false } = route.useSearch();
  const [event, setEvent] = useState('message');
  const [sender, setSender] = useState<string | undefined>('anon');
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      fetchConsole('POST /realtime/verdict/broadcast', {
        body: {
          ...(as === undefined ? {} : { as }),
          topic,
          private: isPrivate,
          message: {
            from: 'client',
            private: isPrivate,
            event,
            ...(sender === undefined ? {} : { sender }),
          },
        },
      }),
  });
  return (
    <form
      className={classes.form}
      onSubmit={(submit) => {
        submit.preventDefault();
        if (!isPending) mutate();
      }}
    >
      <div className={classes.line}>
        <TextInput
          className={classes.grow}
          size="xs"
          label={t('realtime.send-event')}
          required
          autoComplete="off"
          value={event}
          onChange={(change) => setEvent(change.currentTarget.value)}
        />
        <fieldset className={classes.sender} aria-label={t('delivery-check.sender')}>
          <PersonaPicker as={sender} onChange={setSender} />
        </fieldset>
      </div>
      <p className={classes.note}>{t('delivery-check.sender-text')}</p>
      <CheckButton isPending={isPending} />
      <Outcome result={data} error={error} />
    </form>
  );
}

function CheckButton({ isPending }: { isPending: boolean }) {
  return (
    <div className={classes.line}>
      <Button type="submit" size="compact-sm" variant="default" loading={isPending}>
        {t('delivery-check.ask')}
      </Button>
    </div>
  );
}

const icons = {
  passes: IconCircleCheck,
  stops: IconAlertTriangle,
  alters: IconInfoCircle,
  'not asked': IconMinus,
} as const;
const weights = { passes: 'fine', stops: 'stops', alters: 'limits', 'not asked': 'limits' } as const;

function Outcome({ result, error }: { result: CheckResult | undefined; error: unknown }) {
  if (error !== null && error !== undefined) return <ProblemBox error={error} />;
  if (result === undefined) return null;
  const { delivered, persona, steps } = result;
  const dataJson = 'dataJson' in result ? result.dataJson : undefined;
  return (
    <div className={classes.form} role="status">
      <p>
        <Tag tone={delivered ? 'success' : 'danger'}>
          {t(delivered ? 'delivery-check.delivered' : 'delivery-check.not-delivered')}
        </Tag>{' '}
        {t('delivery-check.to', { persona })}
      </p>
      <ol className={classes.checks}>
        {steps.map(({ step, outcome, code, says }) => {
          const Icon = icons[outcome];
          return (
            <li key={`${step} ${code}`} className={classes.check} data-weight={weights[outcome]}>
              <Icon size={16} aria-hidden />
              <span>
                <strong>{t(`delivery-check.outcome.${outcome}`)}</strong> {says}
              </span>
            </li>
          );
        })}
      </ol>
      {dataJson === undefined ? null : (
        <JsonBlock value={JSON.parse(dataJson)} what={t('delivery-check.data')} />
      )}
    </div>
  );
}
