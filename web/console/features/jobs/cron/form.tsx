/** The form for a new or existing scheduled job. */
import { Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDateTime } from '../../../../lib/i18n.ts';
import { homeQuery } from '../../../api/queries.ts';
import { fetchConsole } from '../../../api/session.ts';
import { ExpressionField } from '../../../components/editor/expression-field.tsx';
import { FormDialog } from '../../../components/form-dialog.tsx';
import { type CronJob, cronQuery, functionSlugsQuery } from '../api.ts';
import classes from '../jobs.module.css';
import { nextRun, parseSchedule } from '../schedule.ts';
import { wordsOf } from '../schedule-words.ts';
import { t } from '../text.ts';

const often = ['30 seconds', '* * * * *', '*/5 * * * *', '0 * * * *', '0 0 * * *', '0 3 * * 1', '0 0 1 * *'];

export function CronForm({
  job,
  zone,
  onClose,
  onSaved,
}: {
  job?: CronJob;
  zone: string;
  onClose: () => void;
  onSaved: (id: string) => void;
}) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [schedule, setSchedule] = useState(job?.schedule ?? '0 3 * * *');
  const [command, setCommand] = useState(job?.command ?? '');
  const [active, setActive] = useState(true);
  const [isTried, setTried] = useState(false);
  const isScheduleGood = parseSchedule(schedule) !== undefined;
  const { mutate, isPending, error } = useMutation({
    mutationFn: async (): Promise<string> => {
      if (job === undefined) {
        const body = { name, schedule, command, active };
        return (await fetchConsole('POST /jobs/cron', { body })).id;
      }
      await fetchConsole('PATCH /jobs/cron/:id', { params: { id: job.id }, body: { schedule, command } });
      return job.id;
    },
    onSuccess: async (id) => {
      await queryClient.invalidateQueries({ queryKey: cronQuery.queryKey });
      onSaved(id);
    },
  });
  return (
    <FormDialog
      title={job === undefined ? t('cron.new-title') : t('cron.edit-title', { name: job.name ?? job.id })}
      action={t(job === undefined ? 'cron.create' : 'cron.save')}
      isBusy={isPending}
      error={error}
      onSubmit={() => {
        setTried(true);
        if (isScheduleGood && command.trim() !== '') mutate();
      }}
      onClose={onClose}
    >
      {job === undefined ? (
        <TextInput
          label={t('cron.name')}
          required
          autoComplete="off"
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      ) : null}
      <div className={classes.pair}>
        <TextInput
          label={t('cron.schedule')}
          required
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: classes.code }}
          error={isScheduleGood ? undefined : t('cron.schedule-bad')}
          value={schedule}
          onChange={(event) => setSchedule(event.currentTarget.value)}
        />
        <NativeSelect
          label={t('cron.often')}
          value={often.includes(schedule) ? schedule : ''}
          data={[
            { value: '', label: t('cron.often-pick') },
            ...often.map((value) => ({ value, label: wordsOf(value) ?? value })),
          ]}
          onChange={(event) => {
            if (event.currentTarget.value !== '') setSchedule(event.currentTarget.value);
          }}
        />
      </div>
      <div className={`plinth-hint ${classes.note}`}>
        <p role="status">{isScheduleGood ? sentenceOf(schedule, zone) : ''}</p>
        <p>{t('cron.schedule-help', { zone })}</p>
      </div>
      {job === undefined ? <Beginnings onChoose={setCommand} /> : null}
      <ExpressionField
        label={t('cron.command')}
        description={t('cron.command-help')}
        required
        lines={8}
        value={command}
        error={isTried && command.trim() === '' ? t('cron.command-missing') : undefined}
        onChange={setCommand}
      />
      {job === undefined ? (
        <Checkbox
          label={t('cron.active-now')}
          checked={active}
          onChange={(event) => setActive(event.currentTarget.checked)}
        />
      ) : null}
    </FormDialog>
  );
}

function sentenceOf(text: string, zone: string): string {
  const schedule = parseSchedule(text);
  const words = wordsOf(text);
  const next = schedule?.kind === 'times' ? nextRun(schedule, zone, new Date()) : undefined;
  return next === undefined
    ? t('cron.schedule-says-only', { words })
    : t('cron.schedule-says', { words, next: formatDateTime(next) });
}

/** Offers template statements. The selected template replaces the field's text. */
function Beginnings({ onChoose }: { onChoose: (command: string) => void }) {
  const { data: home } = useQuery({ ...homeQuery, refetchInterval: false });
  const { data: slugs = [] } = useQuery(functionSlugsQuery);
  const choices: readonly { label: string; command: string }[] = [
    { label: t('cron.begin-sql'), command: '' },
    { label: t('cron.begin-function'), command: functionCommand },
    ...(home === undefined
      ? []
      : slugs.map(({ slug }) => ({
          label: t('cron.begin-edge', { name: slug }),
          command: edgeFunctionCommand(home.url, slug, home.anonKey),
        }))),
    { label: t('cron.begin-request'), command: requestCommand },
    { label: t('cron.begin-queue'), command: queueCommand },
  ];
  return (
    <NativeSelect
      label={t('cron.begin')}
      data={choices.map(({ label }, index) => ({ value: String(index), label }))}
      onChange={(event) => onChoose(choices[Number(event.currentTarget.value)]?.command ?? '')}
    />
  );
}

/** Templates for a job's command. */
const functionCommand = 'select public.my_function();';
const queueCommand = `select pgmq.send('my_queue', '{"hello": "world"}');`;
const requestCommand = `select net.http_post(
  url := 'https://example.com/path',
  body := '{"hello": "world"}'::jsonb,
  headers := '{"Content-Type": "application/json"}'::jsonb,
  timeout_milliseconds := 5000
);`;

/**
 * Returns a command that calls an edge function. @example edgeFunctionCommand('http://127.0.0.1:54321', 'hello', anonKey)
 */
const edgeFunctionCommand = (url: string, slug: string, anonKey: string): string => {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${anonKey}` };
  return `select net.http_post(
  url := ${quoted(`${url}/functions/v1/${encodeURIComponent(slug)}`)},
  body := '{}'::jsonb,
  headers := ${quoted(JSON.stringify(headers))}::jsonb,
  timeout_milliseconds := 5000
);`;
};

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
