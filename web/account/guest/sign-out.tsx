import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { Form } from '../form/form.tsx';
import type { useSubmit } from '../form/use-submit.ts';
import classes from '../parts.module.css';
import { DangerButton, PageButton, TextButton } from '../parts.tsx';
import { t } from '../text.ts';

/** Asks guests before they sign out, because they can't sign in to the same account again. */
export function GuestSignOut(props: {
  leave: Pick<ReturnType<typeof useSubmit>, 'busy' | 'problems' | 'onSubmit'>;
  /** Renders the button that opens the confirmation. */
  children: (ask: () => void) => ReactNode;
}) {
  const { leave } = props;
  const [isAsking, setAsking] = useState(false);
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isAsking) box.current?.focus();
  }, [isAsking]);
  if (!isAsking) return props.children(() => setAsking(true));
  return (
    <section ref={box} tabIndex={-1} className={classes.stack} aria-label={t('guest.leave-title')}>
      <Notice tone="warning" title={t('guest.leave-title')}>
        <p>{t('guest.leave-text')}</p>
      </Notice>
      <Form onSubmit={leave.onSubmit} problems={leave.problems}>
        <PageButton to="upgrade">{t('page.upgrade')}</PageButton>
        <DangerButton type="submit" loading={leave.busy}>
          {t('guest.leave')}
        </DangerButton>
        <TextButton onClick={() => setAsking(false)}>{t('guest.leave-cancel')}</TextButton>
      </Form>
    </section>
  );
}
