/** Lists event triggers, which run a function when the schema changes or a client connects. */
import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice } from '../../../../ui/notice.tsx';
import { useMay } from '../../../api/session.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { PageHead } from '../../../components/frame/page.tsx';
import { SidePanel } from '../../../components/frame/side-panel.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import list from '../../../components/list.module.css';
import { migrationName } from '../../../components/migration-choice.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { SearchSelect } from '../../../components/search-select.tsx';
import { Tag } from '../../../components/tag.tsx';
import type { SchemaChange } from '../../tables/schema/api.ts';
import { ChangePanel } from '../../tables/schema/change-panel.tsx';
import { linesIn } from '../../tables/schema/drafts.ts';
import forms from '../../tables/schema/forms.module.css';
import { NameInput } from '../../tables/schema/name-input.tsx';
import parts from '../parts.module.css';
import { createEventTrigger, type EventTriggerRow, eventTriggersQuery } from './api.ts';
import { t } from './text.ts';

export function EventTriggersPage() {
  const { data, error } = useQuery(eventTriggersQuery);
  const [change, setChange] = useState<SchemaChange>();
  const [isCreating, setCreating] = useState(false);
  const [showsSystem, setShowsSystem] = useState(false);
  const mayWrite = useMay('write');
  const triggers = (data?.triggers ?? []).filter(({ editable }) => editable || showsSystem);
  return (
    <>
      <PageHead title={t('event-triggers.title')}>
        <div className={list.tools}>
          <Checkbox
            size="xs"
            label={t('event-triggers.system')}
            checked={showsSystem}
            onChange={(event) => setShowsSystem(event.currentTarget.checked)}
          />
          {mayWrite && data?.run === true ? (
            <Button size="compact-sm" onClick={() => setCreating(true)}>
              {t('event-triggers.new')}
            </Button>
          ) : null}
        </div>
      </PageHead>
      <div className={list.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {data?.run === false ? (
          <Notice tone="info">
            <p>{t('event-triggers.production')}</p>
          </Notice>
        ) : null}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : triggers.length === 0 ? (
          <EmptyState
            icon={<IconBolt size={22} stroke={1.75} />}
            title={t('event-triggers.none')}
            text={t('event-triggers.none-text')}
          />
        ) : (
          <TriggerTable triggers={triggers} runs={data.run} onChange={mayWrite ? setChange : undefined} />
        )}
      </div>
      {change === undefined ? null : (
        <ChangePanel
          title={t('event-triggers.change')}
          changes={[change]}
          startsWithReview
          onClose={() => setChange(undefined)}
        />
      )}
      {isCreating && data !== undefined ? (
        <NewEventTrigger functions={data.functions} onClose={() => setCreating(false)} />
      ) : null}
    </>
  );
}

function TriggerTable({
  triggers,
  runs,
  onChange,
}: {
  triggers: readonly EventTriggerRow[];
  runs: boolean;
  onChange: ((change: SchemaChange) => void) | undefined;
}) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('event-triggers.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('event-triggers.trigger')}</th>
          <th scope="col">{t('event-triggers.event')}</th>
          <th scope="col" className={list.wide}>
            {t('event-triggers.function')}
          </th>
          <th scope="col" className={list.wide}>
            {t('objects.owner')}
          </th>
          <th scope="col" className={list.actions}>
            <span className="visually-hidden">{t('objects.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {triggers.map((trigger) => (
          <tr key={trigger.name}>
            <td>
              <span className={list.named}>
                <span className={list.main}>{trigger.name}</span>
                <Tag tone={trigger.enabled === 'off' ? 'plain' : 'success'}>
                  {t(`event-triggers.${trigger.enabled}`)}
                </Tag>
                {trigger.extension === null ? null : <Tag>{trigger.extension}</Tag>}
              </span>
            </td>
            <td className={list.dim}>
              {trigger.event}
              {trigger.tags.length === 0 ? null : (
                <span className={parts.sub}>{trigger.tags.join(', ')}</span>
              )}
            </td>
            <td className={`${list.wide} ${list.dim}`}>
              {trigger.function.schema}.{trigger.function.name}
            </td>
            <td className={`${list.wide} ${list.dim}`}>{trigger.owner}</td>
            <td className={list.actions}>
              {trigger.editable && onChange !== undefined ? (
                <Actions trigger={trigger} runs={runs} onChange={onChange} />
              ) : null}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Actions({
  trigger: { name, enabled },
  runs,
  onChange,
}: {
  trigger: EventTriggerRow;
  runs: boolean;
  onChange: (change: SchemaChange) => void;
}) {
  const isOff = enabled === 'off';
  return (
    <>
      {isOff && !runs ? null : (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t(isOff ? 'event-triggers.enable-name' : 'event-triggers.disable-name', { name })}
          onClick={() => onChange({ kind: 'set_event_trigger', trigger: name, enabled: isOff })}
        >
          {t(isOff ? 'event-triggers.enable' : 'event-triggers.disable')}
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t('event-triggers.drop-name', { name })}
        onClick={() => onChange({ kind: 'drop_event_trigger', trigger: name })}
      >
        {t('objects.drop')}
      </Button>
    </>
  );
}

const events = ['ddl_command_end', 'ddl_command_start', 'sql_drop', 'table_rewrite', 'login'] as const;

function NewEventTrigger({
  functions,
  onClose,
}: {
  functions: readonly { readonly schema: string; readonly name: string }[];
  onClose: () => void;
}) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [event, setEvent] = useState<(typeof events)[number]>('ddl_command_end');
  const [tags, setTags] = useState('');
  const [chosen, setChosen] = useState(functions.length === 1 ? '0' : '');
  const [typedFile, setTypedFile] = useState<string>();
  const file = typedFile ?? migrationName('create_event_trigger', name);
  const called = chosen === '' ? undefined : functions[Number(chosen)];
  const isReady = name !== '' && called !== undefined && /^[a-z0-9_]{1,100}$/.test(file);
  const create = useMutation({
    mutationFn: async () => {
      if (called === undefined) return;
      const wanted = linesIn(tags).map((tag) => tag.toUpperCase());
      await createEventTrigger({
        name,
        event,
        tags: event === 'login' ? [] : wanted,
        function: called,
        migration: file,
      });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries();
      onClose();
    },
  });
  return (
    <SidePanel title={t('event-triggers.new')} onClose={onClose} isDirty={name !== ''}>
      <form
        className={forms.form}
        onSubmit={(submitted) => {
          submitted.preventDefault();
          if (isReady && !create.isPending) create.mutate();
        }}
      >
        {functions.length === 0 ? (
          <Notice tone="info">
            <p>{t('event-triggers.no-function')}</p>
          </Notice>
        ) : null}
        <NameInput label={t('objects.name')} value={name} onChange={setName} />
        <NativeSelect
          size="sm"
          label={t('event-triggers.event')}
          value={event}
          data={events.map((value) => ({ value, label: t(`event-triggers.event-${value}`) }))}
          onChange={({ currentTarget: { value } }) =>
            setEvent(events.find((each) => each === value) ?? 'ddl_command_end')
          }
        />
        {event === 'login' ? null : (
          <Textarea
            size="sm"
            label={t('event-triggers.tags')}
            description={t('event-triggers.tags-why')}
            rows={3}
            value={tags}
            spellCheck={false}
            onChange={({ currentTarget }) => setTags(currentTarget.value)}
          />
        )}
        <SearchSelect
          label={t('event-triggers.function')}
          value={chosen}
          data={[
            { value: '', label: t('event-triggers.choose') },
            ...functions.map((each, index) => ({
              value: String(index),
              label: `${each.schema}.${each.name}`,
            })),
          ]}
          onChange={setChosen}
        />
        <TextInput
          size="sm"
          label={t('event-triggers.migration')}
          description={t('event-triggers.migration-why')}
          value={file}
          spellCheck={false}
          autoComplete="off"
          onChange={({ currentTarget }) => setTypedFile(currentTarget.value)}
        />
        {create.error === null ? null : <ProblemBox error={create.error} />}
        <div className={forms.buttons}>
          <Button variant="default" size="sm" onClick={onClose}>
            {t('confirm.cancel')}
          </Button>
          <Button type="submit" size="sm" disabled={!isReady} loading={create.isPending}>
            {t('event-triggers.create')}
          </Button>
        </div>
      </form>
    </SidePanel>
  );
}
