import classes from '../parts.module.css';

/** How the marks of our own ways in look, beside those of providers. */
export const mark = { size: 20, stroke: 1.75, 'aria-hidden': true } as const;

/** The mark of a provider: SVG of our own server's drawing (`src/account/core/providers.ts`), decorative. */
export function Mark({ svg }: { svg: string }) {
  const html = { __html: svg };
  // biome-ignore lint/security/noDangerouslySetInnerHtml: a drawing of our own, with nothing of anybody else in it
  return <span className={classes.mark} suppressHydrationWarning dangerouslySetInnerHTML={html} />;
}
