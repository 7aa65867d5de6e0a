import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Form } from '../parts.tsx';
import { t } from '../text.ts';
import { useSubmit } from '../use-submit.ts';
import { useFresh } from './fresh.tsx';
import classes from './security.module.css';

/** A list entry that can be removed, with an inline confirmation. */
export function Entry(props: {
  name: string;
  meta: ReactNode;
  ask: string;
  remove: string;
  /** Why the entry can't be removed. In that case there is no button. */
  kept?: string | undefined;
  onRemove: () => Promise<void>;
  children?: ReactNode;
}) {
  const { name, remove } = props;
  const [asking, setAsking] = useState(false);
  const fresh = useFresh();
  const submit = useSubmit(async () => {
    await props.onRemove();
    setAsking(false);
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
      {asking ? (
        <Form onSubmit={submit.onSubmit} problems={submit.problems} label={`${remove} ${name}`}>
          <p>{props.ask}</p>
          <div className={classes.actions}>
            <Button type="submit" color="red" loading={submit.busy}>
              {remove}
            </Button>
            {/* The safe choice comes first, in case the user presses Enter again. */}
            <Button variant="default" data-autofocus onClick={() => setAsking(false)}>
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
              onClick={() => fresh(() => setAsking(true))}
            >
              {remove}
            </Button>
          ) : null}
        </div>
      )}
    </li>
  );
}

/** Details of an entry, separated by dots on the same line. */
export function Meta({ parts }: { parts: readonly string[] }) {
  return (
    <span className={classes.facts}>
      {parts
        .filter((part) => part !== '')
        .map((part) => (
          <span key={part} className={classes.fact}>
            <bdi>{part}</bdi>
          </span>
        ))}
    </span>
  );
}
