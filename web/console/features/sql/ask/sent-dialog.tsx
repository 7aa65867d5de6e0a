/** Shows the messages that a question sends to the model. */
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Dialog } from '../../../components/dialog.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import { CodeBlock } from '../../../components/json-block.tsx';
import { ProblemBox } from '../../../components/problem-box.tsx';
import { type AskStatus, previewQuery, type Question } from './api.ts';
import classes from './ask.module.css';
import { t } from './text.ts';

export function SentDialog({
  status: { model, endpoint },
  question,
  onSend,
  onClose,
}: {
  status: AskStatus;
  question: Question;
  /** Sends the question. Undefined if the dialog only shows it. */
  onSend: (() => void) | undefined;
  onClose: () => void;
}) {
  const { data, error } = useQuery(previewQuery(question));
  return (
    <Dialog title={t('ask.sent-title', { model })} size="xl" onClose={onClose}>
      <div className={classes.sent}>
        <p>
          {t('ask.sent-text', { endpoint })}{' '}
          {t(question.rows === undefined ? 'ask.sent-no-rows' : 'ask.sent-rows')}
        </p>
        {onSend === undefined ? null : <p>{t('ask.sent-first')}</p>}
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : (
          data.map(({ role, content }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the messages never change their order
            <section key={index} className={classes.message}>
              <h3 className={classes.heading}>{t(`ask.role.${role}`)}</h3>
              <CodeBlock text={content} what={`${t(`ask.role.${role}`)} ${index + 1}`} />
            </section>
          ))
        )}
        {onSend === undefined ? null : (
          <div className={classes.buttons}>
            <Button size="compact-sm" data-autofocus onClick={onSend}>
              {t('ask.send')}
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}
