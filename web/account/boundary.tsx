/** Catches what keeps a page from being shown: a part of it that did not arrive, or that a newer version has replaced. */
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

/** Browsers do not ask again for a part that failed, and the server has those of its own version only. */
function Failed() {
  return (
    <Shell page="page.error" lead={<span role="alert">{t('error.part_missing')}</span>}>
      <Button fullWidth size="md" classNames={wide} onClick={() => window.location.reload()}>
        {t('error.load-again')}
      </Button>
    </Shell>
  );
}
