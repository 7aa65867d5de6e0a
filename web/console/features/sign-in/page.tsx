/**
 * Signs the operator in with the one-time link that opened this page, after a confirmation if necessary. Without a
 * link, the page explains how to get a link.
 */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { SchemeSwitch } from '../../../ui/scheme-switch.tsx';
import { sessionQuery, signIn } from '../../api/session.ts';
import { ownCommand } from '../../components/keyboard/own-command.ts';
import { lazyPart } from '../../components/lazy-part.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import logo from '../../logo.svg';
import { t } from '../../text.ts';
import classes from './page.module.css';

const route = getRouteApi('/sign-in');
const FactorStep = lazyPart(() => import('../operators/factor-step.tsx'));

export function SignInPage() {
  const { linkToken, confirmsFirst } = route.useRouteContext();
  const { next } = route.useSearch();
  const queryClient = useQueryClient();
  const router = useRouter();
  const spent = useRef(false);
  const [isMeant, setIsMeant] = useState(!confirmsFirst);
  const goOn = (): void => router.history.replace(`${router.basepath}${next ?? '/'}`);
  const { mutate, isPending, error } = useMutation({
    mutationFn: (token: string) => signIn(queryClient, token),
    onSuccess: ({ factor }) => {
      if (factor !== 'owed' && factor !== 'missing') goOn();
    },
  });
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  const owes = session?.factor === 'owed' || session?.factor === 'missing' ? session.factor : undefined;
  useEffect(() => {
    if (linkToken === undefined || !isMeant || spent.current) return;
    spent.current = true;
    mutate(linkToken);
  }, [linkToken, isMeant, mutate]);

  const isWaiting = isPending || (linkToken !== undefined && error === null);
  return (
    <main className={classes.page}>
      <title>{t('app.title', { page: t('sign-in.title') })}</title>
      <div className={classes.card}>
        <img src={logo} alt="" width={36} height={36} />
        {owes === undefined ? <h1 className={classes.title}>{t('sign-in.title')}</h1> : null}
        {owes !== undefined ? (
          <Suspense fallback={null}>
            <FactorStep state={owes} onDone={goOn} />
          </Suspense>
        ) : linkToken !== undefined && !isMeant ? (
          <>
            <p className={classes.text}>{t('sign-in.elsewhere')}</p>
            <Button onClick={() => setIsMeant(true)}>{t('sign-in.by-link')}</Button>
          </>
        ) : isWaiting ? (
          <p role="status" className={classes.text}>
            {t('sign-in.waiting')}
          </p>
        ) : (
          <>
            {error === null ? null : <ProblemBox error={error} />}
            <p className={classes.text}>{t('sign-in.how')}</p>
            <div className={classes.command}>
              <Copyable value={ownCommand('console')} what={t('sign-in.command')} />
            </div>
            <p className={classes.text}>{t('sign-in.once')}</p>
            {error === null ? (
              <Button
                variant="default"
                onClick={() => {
                  // The operator may have signed in from another tab, so the cached session in this tab can be
                  // outdated.
                  queryClient.removeQueries({ queryKey: sessionQuery.queryKey });
                  goOn();
                }}
              >
                {t('sign-in.retry')}
              </Button>
            ) : null}
          </>
        )}
      </div>
      <SchemeSwitch />
    </main>
  );
}
