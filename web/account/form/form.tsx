/** Forms whose buttons are disabled until the server accepts the next attempt. */
import { Button, type ButtonProps } from '@mantine/core';
import { type ComponentProps, createContext, type FormEventHandler, type ReactNode, useContext } from 'react';
import { ErrorSummary, type Problem } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useReady } from '../early.ts';
import classes from '../parts.module.css';
import { useSecondsUntil } from '../seconds-until.ts';
import { t } from '../text.ts';

/** The number of seconds until the form can be submitted again. */
const WaitContext = createContext(0);
const none: readonly Problem[] = [];

export function Form(props: {
  onSubmit: FormEventHandler<HTMLFormElement>;
  problems: readonly Problem[];
  label?: string;
  children: ReactNode;
}) {
  useReady();
  const limited = props.problems.find(({ retryAt }) => retryAt !== undefined);
  const wait = useSecondsUntil(limited?.retryAt);
  const isOver = limited !== undefined && wait === 0;
  return (
    <form
      className={classes.stack}
      method="post"
      noValidate
      onSubmit={props.onSubmit}
      {...(props.label === undefined ? {} : { 'aria-label': props.label })}
    >
      {/*
       * Without scripts, this element contains the hidden fields that the server inserts. With scripts, browsers ignore
       * it.
       */}
      <noscript suppressHydrationWarning>{import.meta.env.SSR ? '%PLINTH_FIELDS%' : null}</noscript>
      <ErrorSummary problems={isOver ? none : props.problems} />
      {isOver ? (
        <div role="status">
          <Notice tone="info">{t('form.retry-now')}</Notice>
        </div>
      ) : null}
      <WaitContext value={wait}>{props.children}</WaitContext>
    </form>
  );
}

/** A button that submits the form. After too many attempts, the button shows how long the user must wait. */
export function FormButton({ children, ...props }: ButtonProps & ComponentProps<'button'>) {
  const wait = useContext(WaitContext);
  return (
    <Button type="submit" variant="filled" {...props} disabled={props.disabled === true || wait > 0}>
      {wait === 0 ? children : retryText(wait)}
    </Button>
  );
}

function retryText(seconds: number): string {
  return seconds > 90
    ? t('form.retry-in-minutes', { minutes: Math.ceil(seconds / 60) })
    : t('form.retry-in', { seconds });
}
