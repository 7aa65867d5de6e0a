import { Button } from '@mantine/core';
import { Notice } from '../../ui/notice.tsx';
import { t } from '../text.ts';

/** A note that the item in the URL doesn't exist. Used on pages that would otherwise show only their list. */
export function MissingNote({ title, onBack }: { title: string; onBack: () => void }) {
  return (
    <div role="alert">
      <Notice tone="info" title={title}>
        <p>{t('missing.item')}</p>
        <BackToList onBack={onBack} />
      </Notice>
    </div>
  );
}

export function BackToList({ onBack }: { onBack: () => void }) {
  return (
    <div>
      <Button size="compact-sm" variant="default" onClick={onBack}>
        {t('missing.back')}
      </Button>
    </div>
  );
}
