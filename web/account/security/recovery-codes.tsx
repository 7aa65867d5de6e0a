import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { usePageConfig } from '../page-config.ts';
import { Waiting } from '../parts.tsx';
import { callAuth, type User } from '../session.ts';
import { t } from '../text.ts';
import { LoadFailed } from './card.tsx';
import { useFresh } from './fresh.tsx';
import classes from './security.module.css';

interface Count {
  readonly total: number;
  readonly remaining: number;
}

/** The number of remaining codes below which the page recommends generating new codes. */
const few = 3;

/**
 * Generates recovery codes, and shows the codes once. Later, only the number of remaining codes is shown. `isLastStep`
 * is true after the user has just set up a second factor. `onKept` is called when the user has saved the codes.
 */
export function RecoveryCodes(props: { user: User; isLastStep: boolean; onKept?: () => void }) {
  const { user, isLastStep, onKept } = props;
  // The security page contains this part in a section with its own heading.
  const Heading = onKept === undefined ? 'h3' : 'h2';
  const { brand } = usePageConfig();
  const cache = useQueryClient();
  const queryKey = ['recovery-codes', user.id];
  const [codes, setCodes] = useState<readonly string[]>();
  const [isAsking, setAsking] = useState(false);
  const fresh = useFresh();
  const count = useQuery({ queryKey, queryFn: () => callAuth<Count>('/factors/recovery-codes') });
  const make = useSubmit(async () => {
    const made = await callAuth<{ codes: string[] }>('/factors/recovery-codes', { method: 'POST', body: {} });
    setCodes(made.codes);
    setAsking(false);
    await cache.invalidateQueries({ queryKey });
    return undefined;
  });
  const { total = 0, remaining = 0 } = count.data ?? {};
  const isNext = isLastStep && total === 0 && codes === undefined && count.isSuccess;
  const generate = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isNext) return;
    generate.current?.focus();
    // If the button already has focus, `focus` doesn't scroll to the button, but the notices above may have moved the
    // button out of view.
    generate.current?.scrollIntoView({ block: 'nearest' });
  }, [isNext]);
  return (
    <div className={classes.part}>
      <div className={classes.about}>
        <Heading>{t('recovery.title')}</Heading>
        <p className={classes.intro}>{t('recovery.intro')}</p>
      </div>
      <ErrorSummary problems={make.problems} />
      <div role="status">
        {codes === undefined ? null : <Notice tone="warning">{t('recovery.shown-once')}</Notice>}
      </div>
      {count.isPending ? <Waiting /> : null}
      {count.isError ? <LoadFailed onAgain={() => void count.refetch()} /> : null}
      <div role="status">{isNext ? <Notice tone="warning">{t('recovery.last-step')}</Notice> : null}</div>
      {codes === undefined && count.isSuccess ? (
        <p className={classes.meta}>
          {total === 0 ? t('recovery.none') : t('recovery.left', { remaining, total })}
        </p>
      ) : null}
      {codes === undefined ? null : (
        <>
          <div className={classes.codes}>
            <ol>
              {codes.map((code) => (
                <li key={code}>
                  <code>{code}</code>
                </li>
              ))}
            </ol>
            <CopyButton value={codes.join('\n')} what={t('recovery.codes')} />
          </div>
          <div className={classes.actions}>
            <Button
              component="a"
              variant="default"
              href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${brand.name}\n${user.email}\n\n${codes.join('\n')}\n`)}`}
              download="recovery-codes.txt"
            >
              {t('recovery.download')}
            </Button>
            <Button variant="default" onClick={() => window.print()}>
              {t('recovery.print')}
            </Button>
            <Button
              onClick={() => {
                setCodes(undefined);
                onKept?.();
              }}
            >
              {t('recovery.kept')}
            </Button>
          </div>
        </>
      )}
      {total > 0 && remaining < few && codes === undefined ? (
        <Notice tone="warning">{t('recovery.few')}</Notice>
      ) : null}
      {codes === undefined && count.isSuccess ? (
        <div className={classes.actions}>
          {isAsking ? <p>{t('recovery.remake-ask')}</p> : null}
          <Button
            ref={generate}
            variant={isNext ? 'filled' : 'default'}
            loading={make.busy}
            onClick={() =>
              fresh(() => {
                // The saved codes will stop working, so the user is asked for confirmation first.
                if (total > 0 && !isAsking) setAsking(true);
                else void make.run(undefined);
              })
            }
          >
            {total === 0 ? t('recovery.make') : isAsking ? t('recovery.replace') : t('recovery.remake')}
          </Button>
          {isAsking ? (
            <Button variant="default" data-autofocus onClick={() => setAsking(false)}>
              {t('security.cancel')}
            </Button>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}
