/** Shows a user's metadata as JSON, which can be edited as a whole. */
import { Button, Textarea } from '@mantine/core';
import { useState } from 'react';
import { fetchConsole, useMay } from '../../api/session.ts';
import type { User } from '../../api/types.ts';
import { JsonBlock } from '../../components/json-block.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { useDirty } from '../../components/unsaved.tsx';
import { jsonObjectOf } from './json-object.ts';
import { t } from './text.ts';
import { useUserCall } from './use-user-call.ts';
import classes from './user-panel.module.css';

export function Metadata({ user, field }: { user: User; field: 'app_metadata' | 'user_metadata' }) {
  const mayWrite = useMay('write');
  const [text, setText] = useState<string>();
  const [isBad, setBad] = useState(false);
  const { mutate, isPending, error } = useUserCall(user.id, () => setText(undefined));
  const title = t(field === 'app_metadata' ? 'users.app-metadata' : 'users.user-metadata');
  const value = user[field] ?? {};
  const [begun, setStarted] = useState('');
  useDirty(text !== undefined && text !== begun && !isPending);

  function save(edited: string): void {
    const parsed = jsonObjectOf(edited);
    setBad(parsed === undefined);
    if (parsed !== undefined)
      mutate(() => fetchConsole('PATCH /users/:id', { params: { id: user.id }, body: { [field]: parsed } }));
  }

  return (
    <section>
      <div className={classes.sectionHead}>
        <h3 className={classes.title}>{title}</h3>
        {mayWrite && text === undefined ? (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`${t('users.edit')}: ${title}`}
            onClick={() => {
              setStarted(JSON.stringify(value, null, 2));
              setText(JSON.stringify(value, null, 2));
            }}
          >
            {t('users.edit')}
          </Button>
        ) : null}
      </div>
      {text === undefined ? (
        <JsonBlock value={value} what={title} />
      ) : (
        <form
          className={classes.editor}
          onSubmit={(event) => {
            event.preventDefault();
            if (!isPending) save(text);
          }}
        >
          {error === null ? null : <ProblemBox error={error} />}
          <Textarea
            aria-label={title}
            autosize={false}
            rows={8}
            spellCheck={false}
            autoFocus
            classNames={{ input: classes.code }}
            error={isBad ? t('users.not-json') : undefined}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <div className={classes.buttons}>
            <Button size="compact-sm" variant="default" onClick={() => setText(undefined)}>
              {t('confirm.cancel')}
            </Button>
            <Button size="compact-sm" type="submit" loading={isPending}>
              {t('users.save')}
            </Button>
          </div>
        </form>
      )}
    </section>
  );
}
