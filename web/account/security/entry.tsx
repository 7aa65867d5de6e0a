import { Button } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { WithAddresses } from '../addresses.tsx';
import { Form, FormButton } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { t } from '../text.ts';
import { useFresh } from './fresh.tsx';
import classes from './security.module.css';

/** A list entry with a button that removes the entry. The confirmation is shown in place of the button. */
export function Entry(props: {
  name: string;
  meta: ReactNode;
  ask: string;
  remove: string;
  /** The accessible name of the button. Defaults to `remove` followed by `name`. */
  removeLabel?: string;
  /** The reason why the entry can't be removed. If this is set, the button is hidden. An empty reason isn't shown. */
  kept?: string | undefined;
  onRemove: () => Promise<void>;
  children?: ReactNode;
}) {
  const { name, remove, removeLabel = `${remove} ${name}` } = props;
  const [confirming, setConfirming] = useState(false);
  const fresh = useFresh();
  const askId = useId();
  const submit = useSubmit(async () => {
    await props.onRemove();
    setConfirming(false);
    return undefined;
  });
  return (
    <li className={classes.item}>
      <span className={classes.what}>
        <span className={classes.name}>
          <bdi>
            <WithAddresses text={name} />
          </bdi>
        </span>
        <span className={`${classes.meta} ${classes.clip}`}>{props.meta}</span>
        {props.kept ? <span className={classes.meta}>{props.kept}</span> : null}
      </span>
      {confirming ? (
        <Form onSubmit={submit.onSubmit} problems={submit.problems} label={removeLabel}>
          <p id={askId}>
            <WithAddresses text={props.ask} />
          </p>
          <div className={classes.actions}>
            <FormButton color="red" loading={submit.busy}>
              {remove}
            </FormButton>
            {/*
             * The safe choice has focus because the user might press Enter twice. Screen readers read the question
             * together with it.
             */}
            <Button
              variant="default"
              data-autofocus
              aria-describedby={askId}
              onClick={() => setConfirming(false)}
            >
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
              aria-label={removeLabel}
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
 * Returns the text direction of a detail. A message with bidi-isolated values (U+2068) has the page's direction.
 * Otherwise, its first value would determine the direction, which would reverse "browser on system" in Arabic.
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
            <bdi {...directionOf(part)}>
              <WithAddresses text={part} />
            </bdi>
          </span>
        ))}
    </span>
  );
}
