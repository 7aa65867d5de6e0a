import type { DiffLine } from '../../../src/pages/console/settings/contract.ts';
import { t } from '../text.ts';
import classes from './diff-block.module.css';

const marks = { same: ' ', added: '+', removed: '-', gap: '…' } as const;

/** Shows the differences between two texts line by line. `label` names the compared texts for screen readers. */
export function DiffBlock({ lines, label }: { lines: readonly DiffLine[]; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className={classes.diff} tabIndex={0} aria-label={label}>
      {lines.map(({ kind, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines never change their order
        <div key={index} className={classes.line} data-kind={kind}>
          <span aria-hidden>{marks[kind]}</span>
          {kind === 'added' || kind === 'removed' ? (
            <span className="visually-hidden">{t(`diff.${kind}`)} </span>
          ) : null}
          <code>{text}</code>
        </div>
      ))}
    </section>
  );
}
