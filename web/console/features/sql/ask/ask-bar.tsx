/**
 * The field for questions to the configured model. An answer is shown as text, and its SQL as a proposal. Nothing runs
 * until the operator runs it.
 */
import { Button, Checkbox, TextInput } from '@mantine/core';
import { IconSparkles, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { Notice } from '../../../../ui/notice.tsx';
import { DiffBlock } from '../../../components/diff-block.tsx';
import { CodeBlock } from '../../../components/json-block.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import type { ChartChoice } from '../api.ts';
import type { RunState } from '../use-run.ts';
import type { AskStatus, Question } from './api.ts';
import classes from './ask.module.css';
import { SentDialog } from './sent-dialog.tsx';
import { t } from './text.ts';
import { type AskState, useAsk } from './use-ask.ts';

const maxSqlChars = 20_000;
const sentRows = 20;

export function AskBar({
  status,
  sql,
  run,
  onUse,
}: {
  status: AskStatus;
  /** The editor's text. */
  sql: string;
  run: RunState['run'];
  onUse: (sql: string, chart: ChartChoice | undefined) => void;
}) {
  const { model } = status;
  const { state, turns, send, stop, hide, close } = useAsk();
  const [text, setText] = useState('');
  const [addsRows, setAddsRows] = useState(false);
  const [shown, setShown] = useState<{ readonly question: Question; readonly isFirst: boolean }>();
  const result = run?.statements.findLast(({ rows }) => rows.length > 0);
  const fault = run?.error ?? run?.statements.find(({ error }) => error !== undefined)?.error;
  const canAddRows = status.allowsRows && result !== undefined;

  const questionOf = (question: string): Question => ({
    question,
    sql: sql.slice(0, maxSqlChars),
    turns: [...turns],
    ...(fault === undefined ? {} : { error: { sqlstate: fault.sqlstate, message: fault.message } }),
    ...(canAddRows && addsRows
      ? {
          rows: {
            columns: result.columns.map(({ name }) => name).slice(0, 50),
            rows: result.rows
              .slice(0, sentRows)
              .map((row) => row.slice(0, 50).map((cell) => cell?.slice(0, 500) ?? null)),
          },
        }
      : {}),
  });
  const submit = (question: string): void => {
    if (question.trim() === '' || state.isAsking) return;
    const next = questionOf(question.trim());
    if (hasSeen()) void send(next);
    else setShown({ question: next, isFirst: true });
  };
  const isSpent = status.askedToday >= status.maxPerDay;
  return (
    <section className={classes.ask} aria-label={t('ask.form')}>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          submit(text);
        }}
      >
        <TextInput
          className={classes.field}
          size="xs"
          aria-label={t('ask.question', { model })}
          placeholder={t('ask.question', { model })}
          leftSection={<IconSparkles size={15} aria-hidden />}
          maxLength={4000}
          autoComplete="off"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {state.isAsking ? (
          <Button size="compact-sm" color="red" onClick={stop}>
            {t('ask.stop')}
          </Button>
        ) : (
          <Button type="submit" size="compact-sm" variant="default" disabled={isSpent}>
            {t('ask.ask')}
          </Button>
        )}
        {fault === undefined ? null : (
          <Button size="compact-sm" variant="default" onClick={() => submit(t('ask.explain-error-question'))}>
            {t('ask.explain-error')}
          </Button>
        )}
        {result === undefined || fault !== undefined ? null : (
          <Button size="compact-sm" variant="default" onClick={() => submit(t('ask.faster-question'))}>
            {t('ask.faster')}
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => setShown({ question: questionOf(text.trim() || '…'), isFirst: false })}
        >
          {t('ask.sent')}
        </Button>
        {canAddRows ? (
          <Checkbox
            size="xs"
            label={t('ask.add-rows', { count: Math.min(sentRows, result.rows.length) })}
            checked={addsRows}
            onChange={(event) => setAddsRows(event.currentTarget.checked)}
          />
        ) : null}
      </form>
      {isSpent ? <p className={classes.dim}>{t('ask.limit')}</p> : null}
      <Answer
        state={state}
        model={model}
        onClose={close}
        onUse={(proposal, chart) => {
          onUse(proposal, chart);
          hide();
        }}
      />
      {shown === undefined ? null : (
        <SentDialog
          status={status}
          question={shown.question}
          onClose={() => setShown(undefined)}
          onSend={
            shown.isFirst
              ? () => {
                  remember();
                  setShown(undefined);
                  void send(shown.question);
                }
              : undefined
          }
        />
      )}
    </section>
  );
}

function Answer({
  state: { isAsking, text, done, error },
  model,
  onUse,
  onClose,
}: {
  state: AskState;
  model: string;
  onUse: (sql: string, chart: ChartChoice | undefined) => void;
  onClose: () => void;
}) {
  if (!isAsking && text === '' && done === undefined && error === null) return null;
  const sql = done?.sql ?? null;
  const diff = done?.diff ?? null;
  return (
    <div className={classes.answer}>
      <div className={classes.head}>
        <h2 className={classes.heading}>{t('ask.answer', { model })}</h2>
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconX size={13} aria-hidden />}
          onClick={onClose}
        >
          {t('ask.close')}
        </Button>
      </div>
      {error === null ? null : <ProblemBox error={error} />}
      <div role="status" className={classes.body}>
        {done === undefined ? (
          text === '' && isAsking ? (
            <p className={classes.dim}>{t('ask.waiting')}</p>
          ) : (
            <p className={classes.text}>{text}</p>
          )
        ) : (
          <>
            {done.text === '' ? null : <p className={classes.text}>{done.text}</p>}
            {done.isCut ? (
              <Notice tone="warning">
                <p>{t('ask.cut')}</p>
              </Notice>
            ) : null}
            {sql === null ? (
              <p className={classes.dim}>{t('ask.no-sql')}</p>
            ) : diff === null ? (
              <CodeBlock text={sql} what={t('ask.proposal')} />
            ) : (
              <DiffBlock lines={diff} label={t('ask.diff')} />
            )}
            {done.chart === null ? null : <p className={classes.dim}>{t('ask.chart')}</p>}
          </>
        )}
      </div>
      {sql === null ? null : (
        <div className={classes.buttons}>
          <Button size="compact-sm" onClick={() => onUse(sql, done?.chart ?? undefined)}>
            {t('ask.use')}
          </Button>
        </div>
      )}
    </div>
  );
}

const key = 'plinth-ask-seen';

/** Whether the operator has seen in this browser what is sent. */
function hasSeen(): boolean {
  try {
    return localStorage.getItem(key) === 'yes';
  } catch {
    return false;
  }
}

function remember(): void {
  try {
    localStorage.setItem(key, 'yes');
  } catch {
    // Without browser storage, the messages are shown before each question.
  }
}
