import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Form, FormButton } from '../form.tsx';
import { t } from '../text.ts';
import { useSubmit } from '../use-submit.ts';
import { useFresh } from './fresh.tsx';
import classes from './security.module.css';

/** A list entry with a button that removes it. The confirmation is shown in place of the button. */
export function Entry(props: {
  name: string;
  meta: ReactNode;
  ask: string;
  remove: string;
  /** The reason why the entry can't be removed. If this is set, the button is hidden. */
  kept?: string | undefined;
  onRemove: () => Promise<void>;
  children?: ReactNode;
}) {
  const { name, remove } = props;
  const [confirming, setConfirming] = useState(false);
  const fresh = useFresh();
  const submit = useSubmit(async () => {
    await props.onRemove();
    setConfirming(false);
    return undefined;
  });
  return (
    <li className={classes.item}>
      <span className={classes.what}>
        <span className={classes.name}>
          <bdi>{name}</bdi>
        </span>
        <span className={`${classes.meta} ${classes.clip}`}>{props.meta}</span>
        {props.kept === undefined ? null : <span className={classes.meta}>{props.kept}</span>}
      </span>
      {confirming ? (
        <Form onSubmit={submit.onSubmit} problems={submit.problems} label={`${remove} ${name}`}>
          <p>{props.ask}</p>
          <div className={classes.actions}>
            <FormButton color="red" loading={submit.busy}>
              {remove}
            </FormButton>
            {/* The safe choice has the focus, because the user might press Enter twice. */}
            <Button variant="default" data-autofocus onClick={() => setConfirming(false)}>
              {t('security.factor-keep')}
            </Button>
          </div>
        </Form>
      ) : (
        <div className={classes.actions}>
          {props.children}
          {props.kept === undefined ? (
            <Button
              variant="default"
              aria-label={`${remove} ${name}`}
              onClick={() => fresh(() => setConfirming(true))}
            >
              {remove}
            </Button>
          ) : null}
        </div>
      )}
    </li>
  );
}

/**
 * A message with isolated values has the direction of the page. Its first value would otherwise determine the direction,
 * which reverses "browser on system" in Arabic.
 */
const directionOf = (part: string): { dir?: string } =>
  part.includes('\u2068') ? { dir: document.documentElement.dir } : {};

/** Details of an entry, separated by dots on the same line. */
export function Meta({ parts }: { parts: readonly string[] }) {
  return (
    <span className={classes.facts}>
      {parts
        .filter((part) => part !== '')
        .map((part) => (
          <span key={part} className={classes.fact}>
            <bdi {...directionOf(part)}>{part}</bdi>
          </span>
        ))}
    </span>
  );
}
