import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import classes from './copy-button.module.css';
import { t } from './text.ts';

const shownMs = 2000;

/** A button that copies `value`. `what` describes the value to users who can't see the text next to the button. */
export function CopyButton({ value, what }: { value: string; what: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const label = t('ui.copy-what', { what });
  return (
    <button
      type="button"
      className={classes.button}
      aria-label={label}
      title={copied ? t('ui.copied') : label}
      data-copied={copied || undefined}
      onClick={() => {
        navigator.clipboard.writeText(value).then(
          () => setCopied(true),
          () => setCopied(false),
        );
      }}
    >
      {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
      <span className={classes.status} role="status">
        {copied ? t('ui.copied') : ''}
      </span>
    </button>
  );
}
