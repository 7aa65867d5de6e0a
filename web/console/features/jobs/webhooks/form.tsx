/** The form for a new or existing webhook. */
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { tablesQuery } from '../../../api/queries.ts';
import { fetchConsole } from '../../../api/session.ts';
import { FormDialog } from '../../../components/form-dialog.tsx';
import { type HookName, hookParams, type Webhook, webhooksQuery } from '../api.ts';
import classes from '../jobs.module.css';
import { t } from '../text.ts';
import { draftOf, type NewWebhook, type WebhookDraft, webhookEvents, webhookOf } from './draft.ts';
import { type DraftProps, RequestFields } from './request-fields.tsx';

export function WebhookForm({
  hook,
  onClose,
  onSaved,
}: {
  hook?: Webhook;
  onClose: () => void;
  onSaved: (hook: HookName) => void;
}) {
  const [draft, setDraft] = useState(() => draftOf(hook));
  const [wasSent, setSent] = useState(false);
  const { mutate, isPending, error } = useSaveWebhook(hook, onSaved);
  const change = (part: Partial<WebhookDraft>): void => setDraft((previous) => ({ ...previous, ...part }));

  function save(): void {
    setSent(true);
    const body = webhookOf(draft);
    if (body !== undefined) mutate(body);
  }

  return (
    <FormDialog
      title={hook === undefined ? t('hooks.new') : t('hooks.edit-title', { name: hook.name })}
      action={t(hook === undefined ? 'hooks.create' : 'hooks.save')}
      isBusy={isPending}
      error={error}
      onSubmit={save}
      onClose={onClose}
    >
      <TriggerFields draft={draft} showsErrors={wasSent} onChange={change} />
      <RequestFields draft={draft} showsErrors={wasSent} onChange={change} />
    </FormDialog>
  );
}

function useSaveWebhook(hook: Webhook | undefined, onSaved: (hook: HookName) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (body: NewWebhook) => {
      await (hook === undefined
        ? fetchConsole('POST /jobs/webhooks', { body })
        : fetchConsole('PUT /jobs/webhooks/:schema/:table/:name', { params: hookParams(hook), body }));
      return body;
    },
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: webhooksQuery.queryKey });
      onSaved(saved);
    },
  });
}

/** The fields for the webhook's name, table and events. */
function TriggerFields({ draft, showsErrors, onChange }: DraftProps) {
  const { data: tables = [] } = useQuery(tablesQuery);
  return (
    <>
      <TextInput
        label={t('hooks.name')}
        required
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={draft.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={t('hooks.table')}
        required
        value={draft.table}
        error={showsErrors && draft.table === '' ? t('hooks.table-bad') : undefined}
        data={[
          { value: '', label: t('value.choose') },
          ...tables
            .filter(({ kind }) => kind === 'table')
            .map((each) => ({
              value: JSON.stringify([each.schema, each.name]),
              label: `${each.schema}.${each.name}`,
            })),
        ]}
        onChange={(event) => onChange({ table: event.currentTarget.value })}
      />
      <Checkbox.Group
        label={t('hooks.events')}
        value={[...draft.events]}
        error={showsErrors && draft.events.length === 0 ? t('hooks.events-bad') : undefined}
        onChange={(events) => onChange({ events })}
      >
        <div className={classes.checks}>
          {webhookEvents.map((event) => (
            <Checkbox key={event} value={event} label={t(`hooks.${event}`)} />
          ))}
        </div>
      </Checkbox.Group>
    </>
  );
}
