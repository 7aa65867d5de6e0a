/** Shows JSON as a tree whose branches can be opened. Branches are rendered only while they are open. */
import { useMemo, useState } from 'react';
import { t } from '../rows-text.ts';
import { isExactNumber, parseJson } from './json-text.ts';
import classes from './json-tree.module.css';

const shownAtFirst = 100;
/** Objects and arrays with fewer members than this are initially open. */
const openBelow = 12;

export function JsonTree({ text, label }: { text: string; label: string }) {
  const value = useMemo(() => parseJson(text), [text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the tree scrolls, so it must be reachable with the keyboard
    <section className={classes.tree} aria-label={label} tabIndex={0}>
      <Node value={value} isRoot />
    </section>
  );
}

const isBranch = (value: unknown): value is object =>
  value !== null && typeof value === 'object' && !isExactNumber(value);

function Node({ name, value, isRoot = false }: { name?: string; value: unknown; isRoot?: boolean }) {
  const entries = isBranch(value) ? Object.entries(value) : [];
  const [isOpen, setOpen] = useState(isRoot || entries.length < openBelow);
  const [shown, setShown] = useState(shownAtFirst);
  const key = name === undefined ? null : <span className={classes.key}>{name}: </span>;
  if (!isBranch(value))
    return (
      <div className={classes.leaf}>
        {key}
        <Scalar value={value} />
      </div>
    );
  const isList = Array.isArray(value);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={classes.branch}>
        {key}
        <span className={classes.size}>
          {t(isList ? 'json.items' : 'json.keys', { count: entries.length })}
        </span>
      </summary>
      {isOpen ? (
        <div className={classes.children}>
          {entries.slice(0, shown).map(([each, child]) => (
            <Node key={each} name={each} value={child} />
          ))}
          {entries.length > shown ? (
            <button type="button" className={classes.more} onClick={() => setShown(shown * 2)}>
              {t('json.more', { count: entries.length - shown })}
            </button>
          ) : null}
        </div>
      ) : null}
    </details>
  );
}

function Scalar({ value }: { value: unknown }) {
  if (isExactNumber(value)) return <span className={classes.number}>{value.rawJSON}</span>;
  if (typeof value === 'string') return <span className={classes.string}>{JSON.stringify(value)}</span>;
  return <span className={classes.number}>{String(value)}</span>;
}
