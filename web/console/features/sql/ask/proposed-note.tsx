import { Button } from '@mantine/core';
import classes from './ask.module.css';
import { t } from './text.ts';

/** Says that the editor's text is a proposal, which runs in read-only mode first. */
export function ProposedNote({ onAllow }: { onAllow: () => void }) {
  return (
    <p role="status" className={classes.proposed}>
      {t('ask.proposed')}{' '}
      <Button size="compact-xs" variant="default" onClick={onAllow}>
        {t('ask.allow')}
      </Button>
    </p>
  );
}
