/**
 * Catches errors that prevent a page from being shown. For example, a chunk may have failed to load or may have been
 * replaced by a newer version.
 */
import { Button } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { wide } from './parts.tsx';
import { Shell } from './shell.tsx';
import { t } from './text.ts';

interface State {
  readonly hasFailed: boolean;
}

export class Boundary extends Component<{ readonly children: ReactNode }, State> {
  override readonly state: State = { hasFailed: false };

  static getDerivedStateFromError(): State {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <Failed /> : this.props.children;
  }
}

/**
 * Offers to reload the page. Browsers don't retry a module that failed to load, and the server has only the files of
 * its current version.
 */
function Failed() {
  return (
    <Shell page="page.broken" intro={<span role="alert">{t('error.part_missing')}</span>}>
      <Button fullWidth size="md" classNames={wide} onClick={() => window.location.reload()}>
        {t('error.load-again')}
      </Button>
    </Shell>
  );
}
