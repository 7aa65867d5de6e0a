import { type KeyboardEvent, useId, useState } from 'react';
import classes from './code-tabs.module.css';
import { CodeBlock } from './json-block.tsx';

export interface CodeExample {
  readonly id: string;
  /** The name of a tool or language, which isn't translated. */
  readonly name: string;
  readonly code: string;
}

/**
 * Code examples in tabs. Arrow keys move between the tabs. `what` returns the accessible name of an example. With
 * `chosen` and `onChoose`, the parent component stores the selected tab.
 */
export function CodeTabs({
  examples,
  label,
  what = (name) => name,
  chosen: given,
  onChoose,
}: {
  examples: readonly CodeExample[];
  label: string;
  what?: (name: string) => string;
  chosen?: string | undefined;
  onChoose?: (id: string) => void;
}) {
  const [own, setOwn] = useState<string>();
  const id = useId();
  const chosen = given ?? own;
  const index = Math.max(
    0,
    examples.findIndex((each) => each.id === chosen),
  );
  const current = examples[index];
  if (current === undefined) return null;

  function choose(next: string): void {
    setOwn(next);
    onChoose?.(next);
  }

  function walk(event: KeyboardEvent<HTMLElement>): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = examples[(index + step + examples.length) % examples.length];
    if (next === undefined) return;
    choose(next.id);
    document.getElementById(`${id}-${next.id}`)?.focus();
  }

  return (
    <div>
      <div role="tablist" aria-label={label} className={classes.tabs}>
        {examples.map((each) => (
          <button
            key={each.id}
            id={`${id}-${each.id}`}
            type="button"
            role="tab"
            aria-selected={each === current}
            aria-controls={`${id}-panel`}
            tabIndex={each === current ? 0 : -1}
            className={classes.tab}
            onClick={() => choose(each.id)}
            onKeyDown={walk}
          >
            {each.name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${current.id}`}>
        <CodeBlock text={current.code} what={what(current.name)} />
      </div>
    </div>
  );
}
