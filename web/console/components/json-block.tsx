import { CopyButton } from '../../ui/copy-button.tsx';
import classes from './json-block.module.css';

/** Shows read-only monospace text, which can be scrolled and copied. */
export function CodeBlock({
  text,
  what,
  isTall = false,
}: {
  text: string;
  what: string;
  /** Whether the text is the main content of a panel and can be as high as the window. */
  isTall?: boolean;
}) {
  return (
    <div className={classes.box}>
      {/* biome-ignore lint/a11y/useSemanticElements: the element primarily contains preformatted text */}
      <pre
        className={classes.text}
        data-tall={isTall || undefined}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        role="region"
        aria-label={what}
      >
        <code>{text}</code>
      </pre>
      <span className={classes.copy}>
        <CopyButton value={text} what={what} />
      </span>
    </div>
  );
}

export function JsonBlock({ value, what }: { value: unknown; what: string }) {
  return <CodeBlock text={JSON.stringify(value, null, 2)} what={what} />;
}
