import { useState } from 'react';
import { t } from '../../text.ts';
import classes from './plot.module.css';

export interface LegendEntry {
  readonly label: string;
  /** The CSS variable of the line's color. */
  readonly color: string;
  readonly isDashed?: boolean;
}

/** The labels of the lines that the operator has hidden. */
export function useHiddenLines() {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const toggle = (label: string): void =>
    setHidden((previous) => {
      const next = new Set(previous);
      if (!next.delete(label)) next.add(label);
      return next;
    });
  return { hidden, toggle };
}

/** The names of a chart's lines. Each name is a button that shows or hides the line. */
export function Legend({
  entries,
  hidden,
  onToggle,
}: {
  entries: readonly LegendEntry[];
  hidden: ReadonlySet<string>;
  onToggle: (label: string) => void;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be laid out with flex in every browser
    <div role="group" aria-label={t('plot.legend')} className={classes.legend}>
      {entries.map(({ label, color, isDashed = false }) => (
        <button key={label} type="button" aria-pressed={!hidden.has(label)} onClick={() => onToggle(label)}>
          <span
            aria-hidden
            data-dashed={isDashed || undefined}
            className={classes.marker}
            style={{ borderColor: `var(${color})` }}
          />
          {label}
        </button>
      ))}
    </div>
  );
}
