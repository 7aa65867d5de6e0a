/**
 * Explains how a default key is replaced. Servers read the default keys when they start, so this page can't replace
 * them. An additional key works alongside a default key.
 */
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import form from '../operators/form.module.css';
import type { ApiKey } from './api.ts';
import { CreateKey } from './create-key.tsx';
import classes from './page.module.css';
import { t } from './text.ts';

export function ReplaceDefault({ kind }: { kind: ApiKey['kind'] }) {
  const [open, setOpen] = useState<'steps' | 'create'>();
  const name = t(`keys.${kind}`);
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={t('keys.replace-of', { name })}
        onClick={() => setOpen('steps')}
      >
        {t('keys.rotate')}
      </Button>
      {open === undefined ? null : (
        <Dialog title={t('keys.replace-of', { name })} onClose={() => setOpen(undefined)}>
          <div className={form.form}>
            <p className={form.text}>{t('keys.default-why')}</p>
            <ol className={classes.steps}>
              <li>{t('keys.default-create')}</li>
              <li>{t(`keys.default-swap-${kind}`)}</li>
              <li>
                {t('keys.default-set')}{' '}
                <Link to="/settings" search={{ section: 'keys', setting: `auth.${kind}_key` }}>
                  auth.{kind}_key
                </Link>
              </li>
              <li>{t('keys.default-restart')}</li>
            </ol>
            <div className={form.buttons}>
              <Button size="sm" onClick={() => setOpen('create')} data-autofocus>
                {t('keys.create')}
              </Button>
            </div>
          </div>
          {open === 'create' ? (
            <CreateKey
              replaced={{ name: t('keys.default-name', { name }), kind }}
              onClose={() => setOpen('steps')}
            />
          ) : null}
        </Dialog>
      )}
    </>
  );
}
