/** The form of a new or existing webhook. */
import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { homeQuery, tablesQuery } from '../../../api/queries.ts';
import type { Body } from '../../../api/route.ts';
import { fetchConsole } from '../../../api/session.ts';
import { FormDialog } from '../../../components/form-dialog.tsx';
import {
  functionSlugsQuery,
  type HookName,
  hookParams,
  type Webhook,
  type WebhookEvent,
  webhooksQuery,
} from '../api.ts';
import classes from '../jobs.module.css';
import { pairsText } from '../parts.tsx';
import { t } from '../text.ts';
import { parsePairs } from './pairs.ts';

const events: readonly WebhookEvent[] = ['insert', 'update', 'delete'];
const defaultTimeoutMs = 5000;

type NewWebhook = Body<'POST /jobs/webhooks'>;

export function WebhookForm({
  hook,
  onClose,
  onSaved,
}: {
  /** Undefined for a new webhook. */
  hook?: Webhook;
  onClose: () => void;
  onSaved: (hook: HookName) => void;
}) {
  const queryClient = useQueryClient();
  const { data: home } = useQuery({ ...homeQuery, refetchInterval: false });
  const { data: slugs = [] } = useQuery(functionSlugsQuery);
  const { data: tables = [] } = useQuery(tablesQuery);
  const [name, setName] = useState(hook?.name ?? '');
  const [table, setTable] = useState(hook === undefined ? '' : JSON.stringify([hook.schema, hook.table]));
  const [chosen, setChosen] = useState<readonly string[]>(hook?.events ?? ['insert']);
  const [url, setUrl] = useState(hook?.url ?? '');
  const [method, setMethod] = useState<NewWebhook['method']>(hook?.method === 'GET' ? 'GET' : 'POST');
  const [headers, setHeaders] = useState(
    hook === undefined ? 'Content-Type: application/json' : pairsText(hook.headers),
  );
  const [params, setParams] = useState(hook === undefined ? '' : pairsText(hook.params));
  const [timeoutMs, setTimeoutMs] = useState(String(hook?.timeoutMs ?? defaultTimeoutMs));
  const [wasSent, setSent] = useState(false);

  const readHeaders = parsePairs(headers);
  const readParams = parsePairs(params);
  const isUrlGood = /^https?:\/\/./i.test(url) && URL.canParse(url);
  const addressOf = (slug: string): string => `${home?.url ?? ''}/functions/v1/${encodeURIComponent(slug)}`;
  const target = slugs.find(({ slug }) => addressOf(slug) === url);

  const { mutate, isPending, error } = useMutation({
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

  function save(): void {
    setSent(true);
    if (
      table === '' ||
      chosen.length === 0 ||
      !isUrlGood ||
      'badLine' in readHeaders ||
      'badLine' in readParams
    )
      return;
    const [schema, tableName] = JSON.parse(table) as [string, string];
    mutate({
      schema,
      table: tableName,
      name,
      events: events.filter((event) => chosen.includes(event)),
      url,
      method,
      headers: readHeaders.pairs,
      params: readParams.pairs,
      timeoutMs: Number(timeoutMs),
    });
  }
  const lineError = (read: ReturnType<typeof parsePairs>): string | undefined =>
    wasSent && 'badLine' in read ? t('hooks.headers-bad', { line: read.badLine }) : undefined;

  return (
    <FormDialog
      title={hook === undefined ? t('hooks.new') : t('hooks.edit-title', { name: hook.name })}
      action={t(hook === undefined ? 'hooks.create' : 'hooks.save')}
      isBusy={isPending}
      error={error}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput
        label={t('hooks.name')}
        required
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NativeSelect
        label={t('hooks.table')}
        required
        value={table}
        error={wasSent && table === '' ? t('hooks.table-bad') : undefined}
        data={[
          { value: '', label: t('value.choose') },
          ...tables
            .filter(({ kind }) => kind === 'table')
            .map((each) => ({
              value: JSON.stringify([each.schema, each.name]),
              label: `${each.schema}.${each.name}`,
            })),
        ]}
        onChange={(event) => setTable(event.currentTarget.value)}
      />
      <Checkbox.Group
        label={t('hooks.events')}
        value={[...chosen]}
        error={wasSent && chosen.length === 0 ? t('hooks.events-bad') : undefined}
        onChange={setChosen}
      >
        <div className={classes.checks}>
          {events.map((event) => (
            <Checkbox key={event} value={event} label={t(`hooks.${event}`)} />
          ))}
        </div>
      </Checkbox.Group>
      {slugs.length === 0 ? null : (
        <NativeSelect
          label={t('hooks.target')}
          value={target?.slug ?? ''}
          data={[
            { value: '', label: t('hooks.target-url') },
            ...slugs.map(({ slug }) => ({ value: slug, label: t('hooks.target-function', { name: slug }) })),
          ]}
          onChange={(event) =>
            setUrl(event.currentTarget.value === '' ? '' : addressOf(event.currentTarget.value))
          }
        />
      )}
      <TextInput
        label={t('hooks.url')}
        required
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: classes.code }}
        error={wasSent && !isUrlGood ? t('hooks.url-bad') : undefined}
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <div className={classes.pair}>
        <NativeSelect
          label={t('hooks.method')}
          {...(method === 'GET' ? { description: t('hooks.method-get') } : {})}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={method}
          data={['POST', 'GET']}
          onChange={(event) => setMethod(event.currentTarget.value as NewWebhook['method'])}
        />
        <TextInput
          label={t('hooks.timeout')}
          required
          type="number"
          min={1}
          max={600_000}
          value={timeoutMs}
          onChange={(event) => setTimeoutMs(event.currentTarget.value)}
        />
      </div>
      <Textarea
        label={t('hooks.headers')}
        description={t('hooks.headers-help')}
        rows={3}
        spellCheck={false}
        classNames={{ input: classes.code }}
        error={lineError(readHeaders)}
        value={headers}
        onChange={(event) => setHeaders(event.currentTarget.value)}
      />
      {target?.verifyJwt === true && home !== undefined && !/^\s*authorization\s*:/im.test(headers) ? (
        <div>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() =>
              setHeaders(`${headers.trimEnd()}\nAuthorization: Bearer ${home.anonKey}`.trimStart())
            }
          >
            {t('hooks.add-key')}
          </Button>
        </div>
      ) : null}
      <Textarea
        label={t('hooks.params')}
        description={t('hooks.params-help')}
        rows={2}
        spellCheck={false}
        classNames={{ input: classes.code }}
        error={lineError(readParams)}
        value={params}
        onChange={(event) => setParams(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
