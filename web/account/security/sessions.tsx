import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDateTime, formatRelative } from '../../lib/i18n.ts';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { signOut } from '../account-api.ts';
import { deviceOf } from '../form/fields.ts';
import { problemOf } from '../form/problems.ts';
import { usePageConfig } from '../page-config.ts';
import { Waiting } from '../parts.tsx';
import { callAuth, type User } from '../session.ts';
import { t } from '../text.ts';
import { Badge, Card, LoadFailed } from './card.tsx';
import { durationText } from './duration-text.ts';
import { type BrowserSessions, groupByBrowser, listSessions } from './own-sessions.ts';
import classes from './security.module.css';

const none: never[] = [];

/**
 * Lists all of the user's sessions by browser, beginning with the current browser. A browser's entry lists the apps in
 * which the user is signed in.
 */
export function SessionsSection({ user }: { user: User }) {
  const cache = useQueryClient();
  const queryKey = ['sessions', user.id];
  const [done, setDone] = useState<string>();
  const list = useQuery({ queryKey, queryFn: listSessions });
  const end = useMutation({
    mutationFn: async (ids: readonly string[] | 'elsewhere') => {
      setDone(undefined);
      if (ids === 'elsewhere') await signOut('elsewhere');
      else for (const id of ids) await callAuth(`/user/sessions/${id}`, { method: 'DELETE' });
    },
    onSuccess: (_result, ids) =>
      setDone(ids === 'elsewhere' ? t('security.sessions-ended') : t('security.session-ended')),
    onSettled: () => cache.invalidateQueries({ queryKey }),
  });
  const browsers = groupByBrowser(list.data ?? none);
  return (
    <Card title={t('security.sessions')}>
      <SessionPolicy />
      <ErrorSummary problems={end.isError ? [problemOf(end.error)] : none} />
      <div role="status">{done === undefined ? null : <Notice tone="success">{done}</Notice>}</div>
      {list.isPending ? <Waiting /> : null}
      {list.isError ? <LoadFailed onAgain={() => void list.refetch()} /> : null}
      <ul className={classes.list}>
        {browsers.map((browser) => (
          <BrowserItem
            key={browser.key}
            browser={browser}
            busy={end.isPending}
            onEnd={(ids) => end.mutate(ids)}
          />
        ))}
      </ul>
      {browsers.length > 1 ? (
        <div className={classes.actions}>
          <Button variant="default" disabled={end.isPending} onClick={() => end.mutate('elsewhere')}>
            {t('security.sessions-others')}
          </Button>
        </div>
      ) : null}
    </Card>
  );
}

interface ItemProps {
  readonly browser: BrowserSessions;
  readonly busy: boolean;
  readonly onEnd: (ids: readonly string[]) => void;
}

function BrowserItem({ browser, busy, onEnd }: ItemProps) {
  const known = deviceOf(browser.userAgent);
  const device = known === undefined ? t('security.device-unknown') : t('security.device', known);
  const seen = browser.lastSeen;
  const seenText = t('security.session-seen', { when: formatRelative(seen) });
  const endText = t('security.session-end-what', { device });
  return (
    <li className={classes.item}>
      <span className={classes.what}>
        <span className={classes.name}>
          {device}
          {browser.isCurrent ? <Badge tone="good">{t('security.session-current')}</Badge> : null}
        </span>
        <span className={`${classes.meta} ${classes.clip}`}>
          <span className={classes.facts}>
            <time className={classes.fact} dateTime={seen} title={formatDateTime(seen)}>
              {seenText}
            </time>
            {browser.ip === null ? null : (
              <span className={classes.fact}>
                <bdi>{browser.ip}</bdi>
              </span>
            )}
          </span>
        </span>
      </span>
      {browser.isCurrent ? null : (
        <Button
          variant="default"
          disabled={busy}
          // The label contains details because several browsers may be on the same kind of device.
          aria-label={[endText, seenText, ...(browser.ip === null ? [] : [browser.ip])].join(' · ')}
          onClick={() => onEnd(browser.ids)}
        >
          {t('security.session-end')}
        </Button>
      )}
      <BrowserApps browser={browser} busy={busy} onEnd={onEnd} />
    </li>
  );
}

/**
 * The apps in which the user is signed in, for one browser. In the current browser, the user can sign out of each app
 * separately.
 */
function BrowserApps({ browser, busy, onEnd }: ItemProps) {
  if (browser.apps.length === 0) return null;
  return (
    <ul className={classes.signedIn} aria-label={t('security.session-apps')}>
      {browser.hasAccount ? <li>{t('security.session-account')}</li> : null}
      {browser.apps.map(({ name, ids }) => (
        <li key={name}>
          <bdi>{name}</bdi>
          {browser.isCurrent ? (
            <Button
              variant="default"
              size="xs"
              disabled={busy}
              aria-label={t('security.session-end-what', { device: name })}
              onClick={() => onEnd(ids)}
            >
              {t('security.session-end')}
            </Button>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

/** Shows the rules by which the project ends sessions. */
function SessionPolicy() {
  const { idleSeconds, timeboxSeconds, isSingle } = usePageConfig().sessions;
  const texts = [
    idleSeconds > 0 ? t('policy.idle', { time: durationText(idleSeconds) }) : '',
    timeboxSeconds > 0 ? t('policy.timebox', { time: durationText(timeboxSeconds) }) : '',
    isSingle ? t('policy.single') : '',
  ].filter((text) => text !== '');
  return texts.length === 0 ? null : <p className={classes.meta}>{texts.join(' ')}</p>;
}
