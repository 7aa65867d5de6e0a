/**
 * Lets the operator edit a request and send it as any user. The request's changes are rolled back unless the operator
 * chooses to keep them.
 */
import { Button, Checkbox, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../../components/confirm.tsx';
import { Card } from '../../components/frame/card.tsx';
import { CodeBlock } from '../../components/json-block.tsx';
import { parsePersona } from '../../components/persona/persona.ts';
import { usePersonaName } from '../../components/persona/persona-name.ts';
import { PersonaPicker } from '../../components/persona/persona-picker.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import form from '../operators/form.module.css';
import { tryRequest } from './api.ts';
import classes from './page.module.css';
import type { Request } from './request.ts';
import { t } from './text.ts';

export function Try({
  request,
  as,
  onAs,
}: {
  request: Request;
  as: string | undefined;
  onAs: (as: string | undefined) => void;
}) {
  const { method } = request;
  const [path, setPath] = useState(request.path);
  const [body, setBody] = useState(request.body);
  const [keeps, setKeeps] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const name = usePersonaName(as);
  const { mutate, data, error, isPending, variables } = useMutation({
    mutationFn: (rollsBack: boolean) =>
      tryRequest({ ...request, path, ...(body === undefined ? {} : { body }), as, rollsBack }),
    onSettled: () => setConfirming(false),
  });
  const isRead = method === 'GET';
  const isOperator = parsePersona(as).kind === 'operator';
  return (
    <Card
      title={t('reference.try')}
      text={t(isOperator ? 'reference.try-text-operator' : 'reference.try-text', { name })}
      tools={<PersonaPicker as={as} onChange={onAs} />}
    >
      <form
        className={form.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (isPending) return;
          if (keeps && !isRead) setConfirming(true);
          else mutate(!isRead);
        }}
      >
        <TextInput
          size="xs"
          classNames={{ input: classes.code }}
          label={`${t('reference.request')}: ${method} /rest/v1/`}
          value={path}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setPath(event.currentTarget.value)}
        />
        {body === undefined ? null : (
          <Textarea
            size="xs"
            classNames={{ input: classes.code }}
            label={t('reference.body')}
            rows={Math.min(12, body.split('\n').length + 1)}
            value={body}
            spellCheck={false}
            onChange={(event) => setBody(event.currentTarget.value)}
          />
        )}
        <div className={classes.buttons}>
          <Button type="submit" size="compact-sm" loading={isPending}>
            {t(isRead || keeps ? 'reference.run' : 'reference.run-back')}
          </Button>
          {isRead ? null : (
            <Checkbox
              size="xs"
              label={t('reference.keep')}
              checked={keeps}
              onChange={(event) => setKeeps(event.currentTarget.checked)}
            />
          )}
        </div>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? null : (
          <div role="status" className={classes.answer}>
            <div className={classes.outcome}>
              <Tag tone={data.status < 400 ? 'success' : 'warning'}>{data.status}</Tag>
              {variables === true ? <span className={form.text}>{t('reference.rolled-back')}</span> : null}
            </div>
            {data.body === '' ? null : <CodeBlock text={data.body} what={t('reference.answer')} />}
            {data.isCut ? <p className={form.text}>{t('reference.cut')}</p> : null}
          </div>
        )}
      </form>
      {isConfirming ? (
        <Confirm
          title={t('reference.keep-title', { method })}
          action={t('reference.run')}
          isBusy={isPending}
          error={null}
          onConfirm={() => mutate(false)}
          onClose={() => setConfirming(false)}
        >
          <p>{t('reference.keep-text', { name })}</p>
        </Confirm>
      ) : null}
    </Card>
  );
}
