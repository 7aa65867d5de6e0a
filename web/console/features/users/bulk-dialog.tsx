/** Asks for confirmation of a bulk action, shows the action's progress, and lists the users for whom it failed. */
import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import dialog from '../../components/dialog.module.css';
import { Dialog } from '../../components/dialog.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type BulkAction, fetchMatching } from './api.ts';
import { banChoices, durationOf } from './ban-choices.ts';
import { BulkProgress } from './bulk-progress.tsx';
import { jsonObjectOf } from './json-object.ts';
import type { UsersSearch } from './search.ts';
import { t } from './text.ts';
import { useBulk } from './use-bulk.ts';
import classes from './user-panel.module.css';

export function BulkDialog({
  kind,
  selected,
  search,
  onClose,
}: {
  kind: BulkAction['kind'];
  /** Undefined for all users that match the filters. */
  selected: readonly string[] | undefined;
  search: UsersSearch;
  onClose: (hasRun: boolean) => void;
}) {
  const { run, start, stop } = useBulk();
  const matching = useQuery({
    queryKey: ['bulk-users', search],
    queryFn: ({ signal }) => fetchMatching(search, signal),
    enabled: selected === undefined,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const ids = selected ?? matching.data?.ids;
  return (
    <Dialog
      title={t(`bulk.${kind}`)}
      onClose={() => {
        if (run?.isRunning) stop();
        else onClose(run !== undefined);
      }}
    >
      {run === undefined ? (
        <>
          {matching.error === null ? null : <ProblemBox error={matching.error} />}
          {ids === undefined ? (
            matching.error === null ? (
              <SkeletonLines lines={3} />
            ) : null
          ) : (
            <Question
              kind={kind}
              count={ids.length}
              isComplete={matching.data?.isComplete ?? true}
              onConfirm={(action) => void start(action, ids)}
              onClose={() => onClose(false)}
            />
          )}
        </>
      ) : (
        <BulkProgress run={run} onStart={start} onStop={stop} onClose={() => onClose(true)} />
      )}
    </Dialog>
  );
}

function Question({
  kind,
  count,
  isComplete,
  onConfirm,
  onClose,
}: {
  kind: BulkAction['kind'];
  count: number;
  isComplete: boolean;
  onConfirm: (action: BulkAction) => void;
  onClose: () => void;
}) {
  const [hours, setHours] = useState('24');
  const [endSessions, setEndSessions] = useState(true);
  const [json, setJson] = useState('');
  const [typed, setTyped] = useState('');
  const [isBad, setBad] = useState(false);
  const isReady = kind !== 'delete' || typed.trim() === String(count);

  function submit(): void {
    if (!isReady || count === 0) return;
    if (kind === 'ban') onConfirm({ kind, hours: Number(hours), endSessions });
    else if (kind === 'app-metadata') {
      const values = jsonObjectOf(json);
      const isEmpty = values === undefined || Object.keys(values).length === 0;
      setBad(isEmpty);
      if (!isEmpty) onConfirm({ kind, values });
    } else onConfirm({ kind });
  }

  return (
    <form
      className={dialog.form}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p>{t(`bulk.${kind}-text`, { count })}</p>
      {isComplete ? null : (
        <Notice tone="warning">
          <p>{t('bulk.incomplete', { count })}</p>
        </Notice>
      )}
      {kind === 'ban' ? (
        <>
          <NativeSelect
            label={t('users.ban-for')}
            data-autofocus
            value={hours}
            onChange={(event) => setHours(event.currentTarget.value)}
            data={banChoices.map((choice) => ({ value: String(choice), label: durationOf(choice) }))}
          />
          <Checkbox
            label={t('users.ban-end-sessions')}
            checked={endSessions}
            onChange={(event) => setEndSessions(event.currentTarget.checked)}
          />
        </>
      ) : null}
      {kind === 'app-metadata' ? (
        <Textarea
          label={t('bulk.metadata-fields')}
          description={t('bulk.metadata-why')}
          rows={6}
          placeholder={'{ "plan": "pro" }'}
          spellCheck={false}
          data-autofocus
          classNames={{ input: classes.code }}
          error={isBad ? t('users.not-json') : undefined}
          value={json}
          onChange={(event) => setJson(event.currentTarget.value)}
        />
      ) : null}
      {kind === 'delete' ? (
        <TextInput
          label={t('confirm.type', { text: String(count) })}
          autoComplete="off"
          inputMode="numeric"
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      ) : null}
      <div className={dialog.buttons}>
        <Button variant="default" size="sm" onClick={onClose}>
          {t('confirm.cancel')}
        </Button>
        <Button
          type="submit"
          size="sm"
          {...(kind === 'delete' ? { color: 'red' } : {})}
          disabled={!isReady || count === 0}
        >
          {t(`bulk.${kind}-go`, { count })}
        </Button>
      </div>
    </form>
  );
}
